// The calls of both apps in Node; the argument is the server's address.
import { directory } from "./directory.mjs";
import { invasive } from "./invasive.mjs";

await invasive(process.argv[2], "ada");
await directory(process.argv[2], "ada");
console.log("all calls were answered as they should be");
