// The calls of the directory app, in order, with fetch.
import { equal, refused, revalidated, send } from "./check.mjs";

/// Makes them; the name is a user's that there isn't yet.
export async function directory(base, name) {
  const json = async (...request) => (await send(...request)).json();
  const root = `${base}/directory`;
  const account = { name, password: "p+q r%s" };
  const login = `${root}/users?${new URLSearchParams({ user: name, password: account.password })}`;

  const posted = await send("POST", `${root}/users`, { body: account });
  equal(posted.headers.get("Content-Type").split(";")[0], "text/plain", "the type of a key");
  equal(posted.headers.get("Cache-Control"), "no-store", "how a key is kept");
  equal(posted.headers.get("ETag"), null, "the ETag of a key");
  const key = await posted.text();
  equal(/^[1-9][0-9]{0,38}$/.test(key), true, `the key is a number: ${key}`);
  equal(await (await send("GET", login)).text(), key, "the login's key");
  // A number of that many digits would be rounded.
  const quoted = await send("GET", login, { headers: { Accept: "application/json" } });
  equal(quoted.headers.get("Content-Type").split(";")[0], "application/json", "the type of a quoted key");
  equal(await quoted.json(), key, "the key as JSON");
  await refused(401, "GET", `${root}/users?${new URLSearchParams({ user: name, password: "wrong" })}`);
  await refused(409, "POST", `${root}/users`, { body: account });

  const people = `${root}/people/${key}`;
  equal(await json("GET", people), [], "people before the first");
  const ids = [];
  for (const number of [1, 2, 3]) {
    const person = { id: 0, name: `Person ${number}`, office: `Room ${number}`, phones: ["555", number] };
    const answer = await send("POST", people, { body: person });
    const id = await answer.json();
    equal(new URL(answer.headers.get("Location"), base).href, `${people}/${id}`, "the Location");
    ids.push(id);
  }
  const all = await json("GET", people);
  equal(all.map((person) => person.id), ids, "the ids");
  const { user } = all[0];
  equal(all[1], { id: ids[1], name: "Person 2", office: "Room 2", user, phones: ["555", 2] }, "the second");
  await revalidated(people);

  const one = `${people}/${ids[1]}`;
  equal(await json("GET", one), all[1], "one of them");
  const before = (await send("GET", one)).headers.get("ETag");
  const changed = { id: 0, name: "Zoë 🌿", office: "Attic" };
  equal(await json("PUT", one, { body: changed }), ids[1], "the id of who was changed");
  const fresh = await send("GET", one, { headers: { "If-None-Match": before } });
  equal(await fresh.json(), { ...changed, id: ids[1], user }, "who was changed");
  equal(await json("DELETE", one), ids[1], "the id of who was removed");
  await refused(404, "DELETE", one);
  await refused(404, "GET", one);
  equal((await json("GET", people)).map((person) => person.id), [ids[0], ids[2]], "the others");

  const headers = { "Idempotency-Key": `${name}-person` };
  const kept = await json("POST", people, { body: changed, headers });
  equal(await json("POST", people, { body: changed, headers }), kept, "the id that the same key gets");
  equal((await json("GET", people)).length, 3, "people in the end");
  const problem = await refused(404, "GET", `${root}/people/1`);
  equal(problem.detail.includes(key), false, "an error doesn't tell the key");
  await refused(400, "POST", people, { body: [changed] });
}
