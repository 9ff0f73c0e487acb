#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  @Suite(
    "Unmodified clients of https://cmsc106.net", .serialized,
    .enabled(if: Machine.isAvailable, "this machine lets no mount and network namespaces be made"))
  struct UnmodifiedClientTests {
    @Test(
      "make all the calls of both apps where the authority is trusted", arguments: UnmodifiedClient.allCases)
    func trusting(client: UnmodifiedClient) async throws {
      try await withStandIn { machine in
        let result = try await machine.run(client.trusting(on: machine))
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        #expect(result.output.contains("all calls were answered as they should be"))
      }
    }

    @Test("refuse it where that isn't, and send nothing", arguments: UnmodifiedClient.allCases)
    func untrusting(client: UnmodifiedClient) async throws {
      let log = try await withStandIn { machine in
        try await expectRefusal(by: client, client.command, client.saysUntrusted, on: machine)
      }
      #expect(!log.contains("/invasive/") && !log.contains("/directory/"))
    }

    @Test(
      "refuse it again where the machine trusts it no more",
      arguments: [.urlSession, .curl] as [UnmodifiedClient])
    func uninstalled(client: UnmodifiedClient) async throws {
      try await withStandIn { machine in
        _ = try await client.trusting(on: machine)
        try await machine.understudy("certificate", "--data", machine.folder.path, "--uninstall")
        try await expectRefusal(by: client, client.command, client.saysUntrusted, on: machine)
      }
    }

    @Test(
      "in Java, by the machine's own store, trust it as long as the machine does",
      .enabled(
        if: FileManager.default.fileExists(atPath: "/etc/ca-certificates/update.d/jks-keystore"),
        "Java here has no store that follows the machine's"))
    func javaStore() async throws {
      try await withStandIn { machine in
        let client = UnmodifiedClient.okHttp
        try await expectRefusal(by: client, client.command, client.saysUntrusted, on: machine)
        try await machine.understudy("certificate", "--data", machine.folder.path, "--install")
        let result = try await machine.run(client.command)
        #expect(result.status == 0, "\(result.output) \(result.errors)")
        try await machine.understudy("certificate", "--data", machine.folder.path, "--uninstall")
        try await expectRefusal(by: client, client.command, client.saysUntrusted, on: machine)
        let links = try await machine.run(["ls", "/etc/ssl/certs", "/etc/ssl/certs/java"])
        #expect(links.status == 0 && !links.output.contains("understudy"))
      }
    }

    @Test(
      "refuse a certificate for it from an authority that they trust for other names",
      arguments: UnmodifiedClient.allCases)
    func constrained(client: UnmodifiedClient) async throws {
      let folder = try AuthorityFolder()
      let made = try ServerProcess.run([
        "certificate", "--data", folder.path, "--new-authority", "--name", "class.example",
      ])
      #expect(made.status == 0, "\(made.errors)")
      let files = try await OpenSSL.sign(
        name: "cmsc106.net", with: folder.authorityKey, in: folder.url)
      let options = ["--tls-cert", files.certificate, "--tls-key", files.key]
      let log = try await withStandIn(options, folder: folder) { machine in
        let command = try await client.trusting(on: machine)
        try await expectRefusal(by: client, command, client.saysConstrained, on: machine)
      }
      #expect(!log.contains("/invasive/") && !log.contains("/directory/"))
    }

    private func expectRefusal(
      by client: UnmodifiedClient, _ command: [String], _ reason: String, on machine: Machine
    ) async throws {
      let result = try await machine.run(command)
      #expect(result.status != 0)
      #expect((result.output + result.errors).contains(reason), "\(result.output) \(result.errors)")
    }
  }
#endif
