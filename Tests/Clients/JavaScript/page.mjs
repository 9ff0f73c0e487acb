// What a page of another origin does with the server, whose address is behind the page's '?'.
import { equal } from "./check.mjs";
import { directory } from "./directory.mjs";
import { invasive } from "./invasive.mjs";

const base = new URLSearchParams(location.search).get("server");

/// Resolves to what jQuery calls its callback with.
function jQueryAnswer(request) {
  return new Promise((resolve, reject) => {
    request.done(resolve).fail((answer, status, error) =>
      reject(new Error(`jQuery: ${status} ${answer.status} ${error}: ${answer.responseText}`)));
  });
}

/// The calls of both apps with jQuery.
async function jQueryCalls() {
  const getJSON = (path, query) => jQueryAnswer($.getJSON(base + path, query));
  const change = (method, path, body) => jQueryAnswer($.ajax({
    url: base + path, method, contentType: "application/json", dataType: "json",
    data: body && JSON.stringify(body),
  }));
  equal((await getJSON("/invasive/species")).length, 48, "species for jQuery");
  equal((await getJSON("/invasive/parks")).length, 50, "parks for jQuery");
  equal((await getJSON("/invasive/parks/13")).idpark, 13, "a park for jQuery");
  // What jQuery adds so that nothing is taken from a cache.
  const fresh = await jQueryAnswer($.ajax({ url: `${base}/invasive/species/1`, cache: false }));
  equal(fresh.name, "Garlic Mustard", "a species past the cache");

  const account = { iduser: 0, username: "query", password: "p+q r", realname: "", phone: "" };
  const user = await change("POST", "/invasive/users", account);
  // jQuery writes a space as '+' and a plus sign as '%2B'.
  equal(await getJSON("/invasive/users", { user: "query", password: "p+q r" }), user, "jQuery's login");
  const sighting = { user: user.iduser, species: 1, park: 1, comment: "é🌿", date: "" };
  const idobservation = await change("POST", "/invasive/observations", sighting);
  equal(await getJSON("/invasive/observations", { user: user.iduser }),
    [{ idobservation, ...sighting }], "jQuery's sighting");

  await jQueryAnswer($.ajax({
    url: `${base}/directory/users`, method: "POST", data: JSON.stringify({ name: "query", password: "pw" }),
  }));
  // $.getJSON asks for application/json, so that the key keeps its digits.
  const key = await getJSON("/directory/users", { user: "query", password: "pw" });
  equal(typeof key === "string" && /^[0-9]+$/.test(key), true, `jQuery's key: ${key}`);
  const people = `/directory/people/${key}`;
  const id = await change("POST", people, { name: "Grace", office: "B 12" });
  equal(await change("PUT", `${people}/${id}`, { name: "Grace", office: "A 1" }), id, "jQuery's PUT");
  equal((await getJSON(people)).map((person) => person.office), ["A 1"], "jQuery's people");
  equal(await change("DELETE", `${people}/${id}`), id, "jQuery's DELETE");

  // In an array, since jQuery's answer is a promise itself.
  const [refused] = await new Promise((resolve, reject) => {
    $.getJSON(`${base}/directory/users`, { user: "query", password: "wrong" })
      .fail((answer) => resolve([answer])).done(() => reject(new Error("a wrong password was taken")));
  });
  equal(refused.status, 401, "the status that jQuery is told");
  equal(JSON.parse(refused.responseText).instance, refused.getResponseHeader("X-Request-Id"), "its id");
}

/// Shows every picture of the catalogue as the gallery of a page does.
async function pictures() {
  for (const { name, image } of await $.getJSON(`${base}/invasive/species`)) {
    const picture = new Image();
    const loaded = new Promise((resolve, reject) => {
      picture.onload = resolve;
      picture.onerror = () => reject(new Error(`the picture of ${name} doesn't load: ${image}`));
    });
    picture.src = image;
    document.body.append(picture);
    await loaded;
    equal(picture.naturalWidth > 0 && picture.naturalHeight > 0, true, `${name}'s picture has a size`);
  }
  // With CORS, so that a canvas may be read that it is drawn on.
  const picture = new Image();
  picture.crossOrigin = "anonymous";
  picture.src = `${base}/invasive/images/garlic-mustard.png?canvas`;
  await picture.decode();
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.drawImage(picture, 0, 0);
  equal(canvas.getImageData(0, 0, 1, 1).data.length, 4, "a pixel of a picture");
}

/// The verdict: `null` where everything was as it should be, else what wasn't.
window.verdict = (async () => {
  try {
    if (new URL(base).origin === location.origin) throw new Error("the page is of the server's own origin");
    await invasive(base, "page");
    await directory(base, "page");
    await jQueryCalls();
    await pictures();
    return null;
  } catch (error) {
    return String(error?.stack ?? error);
  }
})();
