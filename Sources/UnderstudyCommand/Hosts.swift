import Certificates
import HTTP
import Understudy

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Command {
  static let hosts = Command(
    name: "hosts",
    summary:
      "Prints the lines of a hosts file that point cmsc106.net at this machine; writes them, or takes them away.",
    options: [
      .names,
      Option(
        "apply", nil, "Writes the lines into the file, in the place of those from before.", standard: nil),
      Option("remove", nil, "Takes the lines away.", standard: nil),
      Option(
        "file", "PATH", "The hosts file.", standard: hostsFile, variable: "UNDERSTUDY_HOSTS_FILE"),
      Option(
        "dnsmasq", nil,
        "Prints a configuration for dnsmasq, by which other devices find the names at this machine.",
        standard: nil),
      Option(
        "address", "ADDRESS", "With what dnsmasq answers; may be there several times.",
        standard: "this machine's", isList: true),
    ],
    run: { arguments throws(UsageError) in
      let names = try arguments.hostNames()
      switch (
        try arguments.isOn("apply"), try arguments.isOn("remove"), try arguments.isOn("dnsmasq")
      ) {
      case (false, false, true): return dnsmasq(names, try arguments.addresses())
      case (let apply, let remove, false):
        guard !(apply && remove) else { throw UsageError("--apply and --remove exclude each other") }
        guard arguments["address"] == nil else { throw UsageError("--address belongs to --dnsmasq") }
        let edit = HostsEdit(path: arguments["file"] ?? hostsFile, names: names)
        return apply ? edit.apply() : remove ? edit.remove() : edit.show()
      default: throw UsageError("--dnsmasq only prints: it goes with neither --apply nor --remove")
      }
    })

  private static let hostsFile = "/etc/hosts"

  private static func dnsmasq(_ names: [HostName], _ chosen: [IPAddress]) -> Int32 {
    let addresses = chosen.isEmpty ? DnsmasqConfiguration.outsideAddresses() : chosen
    guard !addresses.isEmpty else {
      complain(
        "this machine has no address that others reach: join the network first, or say one with --address")
      return failure
    }
    print(
      DnsmasqConfiguration.text(names: names, addresses: addresses, own: machineAddresses()), terminator: "")
    if chosen.isEmpty, addresses.filter(\.isIPv4).count > 1 {
      complain(
        "this machine has several addresses; if phones don't reach each of them, choose with --address")
    }
    return success
  }
}

extension Option {
  /// The names that are stood in for, as other commands take them too.
  static let names = Option(
    "name", "NAME,…", "The names that are stood in for; may be there several times.", standard: "cmsc106.net",
    isList: true, variable: "UNDERSTUDY_NAMES")
}

extension Arguments {
  /// The names of `--name`; addresses, which need no hosts file, are left out.
  fileprivate func hostNames() throws(UsageError) -> [HostName] {
    let expected = "the name of a host, like cmsc106.net (letters of other alphabets as xn--…)"
    let given = try list("name", expected: expected) { SubjectName($0) } ?? [.host("cmsc106.net")]
    var names: [HostName] = []
    for case .host(let text) in given {
      if let name = HostName(text), !names.contains(name) { names.append(name) }
    }
    guard !names.isEmpty else {
      throw refused("name", self["name"] ?? "", expected: "a name; an address needs none of this")
    }
    return names
  }

  /// The addresses of `--address`.
  fileprivate func addresses() throws(UsageError) -> [IPAddress] {
    let given = try list("address", expected: "an IPv4 or IPv6 address") { IPAddress($0) } ?? []
    return given.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

/// What `understudy hosts` does with a file.
private struct HostsEdit {
  let path: String
  let names: [HostName]

  /// The names as a sentence has them.
  private var all: String { names.map(\.description).joined(separator: ", ") }

  func show() -> Int32 {
    print(HostsFile.block(for: names).joined(separator: "\n"))
    // A file that can't be read is no reason not to print.
    if let file = try? HostsFile(FileContents(path: path).read()) { pointOutOthers(in: file) }
    return Command.success
  }

  func apply() -> Int32 {
    change(
      "--apply", { $0.pointing(names) }, done: "\(path) points \(all) at this machine now",
      already: "\(path) points \(all) at this machine already")
  }

  func remove() -> Int32 {
    change(
      "--remove", \.withoutBlock, done: "the lines of understudy are gone from \(path)",
      already: "\(path) has no lines of understudy")
  }

  private func change(
    _ option: String, _ changed: (HostsFile) -> [UInt8], done: String, already: String
  ) -> Int32 {
    do {
      let contents = FileContents(path: path)
      let file = try HostsFile(contents.read())
      let bytes = changed(file)
      if bytes == file.bytes {
        print(already)
      } else {
        try contents.write(bytes)
        print(done)
      }
      if option == "--apply" { pointOutOthers(in: file) }
      return Command.success
    } catch let damage as HostsFile.Damage {
      Command.complain(
        "line \(damage.line) of \(path) is one of understudy's marker lines without its fellow: take the lines of understudy out of the file by hand"
      )
    } catch FileContents.Failure.notPermitted {
      Command.complain("\(path) needs rights that this user doesn't have; type: \(commandLine(option))")
    } catch FileContents.Failure.failed(let reason) {
      Command.complain(
        "can't change \(path) (\(reason)); 'understudy hosts' prints the lines that belong in it")
    } catch {
      Command.complain("can't change \(path) (\(error))")
    }
    return Command.failure
  }

  /// The command with the rights; sudo takes neither the environment along nor always the search path.
  private func commandLine(_ option: String) -> String {
    var words = ["sudo", CommandLine.arguments.first ?? "understudy", "hosts", option]
    if option == "--apply" { words += ["--name", names.map(\.description).joined(separator: ",")] }
    if path != "/etc/hosts" { words += ["--file", path] }
    return words.map(Self.quoted).joined(separator: " ")
  }

  /// A word as a shell takes it.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      byte > 0x7F || "-._/,:=+@%".utf8.contains(byte) || UnicodeScalar(byte).properties.isAlphabetic
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    return isPlain
      ? word : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
  }

  private func pointOutOthers(in file: HostsFile) {
    for entry in file.foreignEntries(for: names) {
      Command.complain(
        "line \(entry.line) of \(path) is about this too, and not by understudy: \(entry.text)")
    }
  }
}
