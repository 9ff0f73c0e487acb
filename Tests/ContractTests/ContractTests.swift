import TestSupport
import Testing
import UnderstudyTesting

@Test("a started server lists its parks")
func parks() throws {
  let server = try TestServer()
  let client = try RawClient(port: server.port)
  try client.send("GET /invasive/parks HTTP/1.1\r\nHost: localhost\r\n\r\n")
  let response = try client.response()
  #expect(response.status == 200)
  #expect(response.text.hasPrefix(#"[{"idpark":1,"name":"Amnicon Falls State Park","county":"Douglas"},"#))
  server.stop()
}
