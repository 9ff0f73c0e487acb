// The calls of the invasive species app, in order, with fetch.
import { equal, refused, revalidated, send } from "./check.mjs";

/// Makes them; the name is a user's that there isn't yet.
export async function invasive(base, name) {
  const json = async (...request) => (await send(...request)).json();
  const root = `${base}/invasive`;

  const species = await json("GET", `${root}/species`);
  equal(species.map((one) => one.idspecies), Array.from({ length: 48 }, (_, index) => index + 1), "species");
  equal(species[0], {
    idspecies: 1, name: "Garlic Mustard", image: `${root}/images/garlic-mustard.png`,
  }, "the first species");
  equal(await json("GET", `${root}/species/48`), species[47], "the last species");
  for (const one of species.slice(0, 3)) {
    const picture = await send("GET", one.image);
    equal(picture.headers.get("Content-Type"), "image/png", "the type of a picture");
    const bytes = new Uint8Array(await picture.arrayBuffer());
    equal([...bytes.slice(1, 4)], [0x50, 0x4e, 0x47], "what a picture begins with");
  }
  const parks = await json("GET", `${root}/parks`);
  equal(parks.length, 50, "parks");
  equal(parks[0], { idpark: 1, name: "Amnicon Falls State Park", county: "Douglas" }, "the first park");
  for (const path of ["species", "species/1", "parks", "parks/1", "images/garlic-mustard.png"]) {
    await revalidated(`${root}/${path}`);
  }
  const head = await send("HEAD", `${root}/species`);
  equal(await head.text(), "", "the body of a HEAD");
  equal(head.headers.get("ETag") !== null, true, "a HEAD has an ETag");

  const account = { iduser: 0, username: name, password: "a+b c&d=é🌿", realname: "Ada L.", phone: "" };
  const user = await json("POST", `${root}/users`, { body: account });
  equal(user, { ...account, iduser: user.iduser }, "the user");
  equal(Number.isInteger(user.iduser) && user.iduser > 0, true, "the user's id");
  const login = (password) => `${root}/users?${new URLSearchParams({ user: name, password })}`;
  equal(await json("GET", login(account.password)), user, "the login");
  await refused(401, "GET", login("wrong"));
  await refused(409, "POST", `${root}/users`, { body: account });

  const sighting = {
    user: user.iduser, species: 4, park: 13, comment: "\"shore\"\n🌿 \u0000 \u2028 e\u0301", date: "June 1",
  };
  const headers = { "Idempotency-Key": `"${name}-1"` };
  const posted = await send("POST", `${root}/observations`, { body: sighting, headers });
  const id = await posted.json();
  equal(Number.isInteger(id), true, "the id is a number");
  const location = posted.headers.get("Location");
  equal(new URL(location, base).href, `${root}/observations/${id}`, "the Location");
  const again = await send("POST", `${root}/observations`, { body: sighting, headers });
  equal(await again.text(), String(id), "the id that the same key gets");
  equal(again.headers.get("Location"), location, "its Location");
  await refused(422, "POST", `${root}/observations`, { body: { ...sighting, park: 12 }, headers });
  const second = await json("POST", `${root}/observations`, { body: sighting });
  const stored = [id, second].map((idobservation) => ({ idobservation, ...sighting }));
  equal(await json("GET", `${root}/observations?user=${user.iduser}`), stored, "the sightings");
  equal(await json("GET", new URL(location, base)), stored[0], "what stands at the Location");
  const page = await send("GET", `${root}/observations?user=${user.iduser}&limit=1`);
  equal(await page.json(), [stored[0]], "the first page");
  const next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("Link"))?.[1];
  equal(await json("GET", new URL(next, base)), [stored[1]], "the second page");

  const problem = await refused(422, "POST", `${root}/observations`, { body: { ...sighting, species: 999 } });
  equal(problem.detail.includes("species"), true, `the detail names the member: ${problem.detail}`);
  await refused(400, "POST", `${root}/observations`, { body: { species: 1 } });
  await refused(404, "GET", `${root}/species/49`);
  await refused(404, "GET", `${root}/nowhere`);
  // Of a type for which a page asks nobody's leave first.
  const text = { "Content-Type": "text/plain" };
  await refused(405, "POST", `${root}/species`, { body: {}, headers: text });
}
