import TestSupport
import Testing
import UnderstudyTesting

/// What the directory section promises beyond one request.
@Suite("Directory")
struct DirectoryTests {
  private let server: TestServer
  private let key: String

  init() throws {
    server = try TestServer()
    key = try server.addKey("grace")
  }

  /// Ends the server after what a test does.
  private func serving(_ test: () throws -> Void) rethrows {
    defer { server.stop() }
    try test()
  }

  private func person(_ id: String) throws -> String {
    try server.answer("GET /directory/people/\(key)/\(id)").text
  }

  @Test("a login gives the same key as the sign-up, and everyone has another one")
  func keys() throws {
    try serving {
      for _ in 0..<2 {
        #expect(try server.answer("GET /directory/users?user=grace&password=p").text == key)
      }
      let keys = try (0..<4).map { try server.addKey("other-\($0)") } + [key]
      #expect(Set(keys).count == 5)
      // 128 random bits: none of five is as short as a number of 100 bits, but once in 50 million runs.
      #expect(keys.allSatisfy { $0.count > 30 && $0.count <= 39 && $0.first != "0" })
    }
  }

  @Test("a person's own members come back in their order, each value as it was written")
  func members() throws {
    try serving {
      let own =
        #""z":1.10,"a":"\u0041\/é","n":-0,"e":1E+5,"m":123456789012345678901234567890,"t":true,"#
        + #""o":{"b" : [ 1,2.0 ], "a":null},"é":[],"":"""#
      let id = try server.add(
        "/directory/people/\(key)", #"{"z":0,\#(own),"user":[1],"office":"A-0","id":"x","name":"Hopper"}"#)
      let user = try #require(try person(id).firstMatch(of: /"user":([0-9]+)/)).1
      #expect(try person(id) == #"{"id":\#(id),"name":"Hopper","office":"A-0","user":\#(user),\#(own)}"#)
      #expect(try server.answer("GET /directory/people/\(key)").text == "[\(person(id))]")
    }
  }

  @Test("PUT replaces the whole person")
  func replace() throws {
    try serving {
      let id = try server.add(
        "/directory/people/\(key)", #"{"name":"a","office":"b","phone":"1","email":"e"}"#)
      let put = try server.answer("PUT /directory/people/\(key)/\(id)", #"{"id":77,"name":"c","photo":2.50}"#)
      #expect(put.status == 200)
      #expect(put.text == id)
      let user = try #require(try person(id).firstMatch(of: /"user":([0-9]+)/)).1
      #expect(try person(id) == #"{"id":\#(id),"name":"c","office":"","user":\#(user),"photo":2.50}"#)
      #expect(try server.answer("GET /directory/people/\(key)/77").status == 404)
    }
  }

  @Test("a second DELETE is 404, and the person is gone")
  func delete() throws {
    try serving {
      let id = try server.add("/directory/people/\(key)", "{}")
      let statuses = try (0..<2).map { _ in try server.answer("DELETE /directory/people/\(key)/\(id)").status
      }
      #expect(statuses == [200, 404])
      #expect(try server.answer("GET /directory/people/\(key)/\(id)").status == 404)
      #expect(try server.answer("PUT /directory/people/\(key)/\(id)", "{}").status == 404)
      #expect(try server.answer("GET /directory/people/\(key)").text == "[]")
    }
  }

  @Test("ids are never reused")
  func ids() throws {
    try serving {
      var last = 0
      for _ in 0..<3 {
        let id = try server.add("/directory/people/\(key)", "{}")
        #expect(Int(id)! > last)
        last = Int(id)!
        #expect(try server.answer("DELETE /directory/people/\(key)/\(id)").status == 200)
      }
    }
  }

  @Test("an unknown key and another's person are refused in the same words")
  func sameWords() throws {
    try serving {
      let other = try server.addKey("joan")
      let theirs = try server.add("/directory/people/\(other)", #"{"name":"theirs"}"#)
      var details: Set<String> = []
      for target in ["\(key)/\(theirs)", "\(key)/999999", "1/\(theirs)", "\(key)1/\(theirs)"] {
        for request in ["GET", "PUT", "DELETE"] {
          let body = request == "PUT" ? "{}" : nil
          let response = try server.answer("\(request) /directory/people/\(target)", body)
          #expect(response.status == 404)
          #expect(!response.text.contains(key))
          details.insert(Problem(response)?.detail ?? "")
        }
      }
      #expect(details.count == 1, "\(details)")
      #expect(try server.answer("GET /directory/people/\(other)/\(theirs)").text.contains("theirs"))
    }
  }

  @Test("a name is kept as it was posted, and found in either normalization")
  func normalization() throws {
    try serving {
      let posted = try server.addKey("Zoe\u{308}", password: "pa\u{308}ss")
      for query in ["user=Zo%C3%AB&password=p%C3%A4ss", "user=Zoe%CC%88&password=pa%CC%88ss"] {
        #expect(try server.answer("GET /directory/users?\(query)").text == posted)
      }
      let again = try server.answer("POST /directory/users", #"{"name":"Zoë","password":"p"}"#)
      #expect(again.status == 409)
    }
  }
}
