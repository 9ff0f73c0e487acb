import TestSupport
import Testing

@Suite("the command line")
struct UsageTests {
  @Test("says what the program is and does", arguments: [["help"], ["--help"], ["-h"]])
  func help(arguments: [String]) throws {
    let (status, output, errors) = try ServerProcess.run(arguments)
    #expect(status == 0)
    #expect(output.contains("usage: understudy COMMAND"))
    #expect(output.contains("serve"))
    #expect(errors.isEmpty)
  }

  @Test(
    "says what a command takes, options and their variables",
    arguments: [["serve", "--help"], ["help", "serve"]])
  func commandHelp(arguments: [String]) throws {
    let (status, output, _) = try ServerProcess.run(arguments)
    #expect(status == 0)
    for text in [
      "--port NUMBER", "UNDERSTUDY_PORT", "--log-format FORMAT", "UNDERSTUDY_LOG_FORMAT", "--ephemeral",
    ] {
      #expect(output.contains(text), "\(text)")
    }
    #expect(output.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test("says what a group of commands can do", arguments: [["users", "--help"], ["help", "users"]])
  func groupHelp(arguments: [String]) throws {
    let (status, output, errors) = try ServerProcess.run(arguments)
    #expect(status == 0)
    #expect(errors.isEmpty)
    for command in ["users list", "users add [NAME]", "users rename NAME NEW-NAME", "users delete NAME …"] {
      #expect(output.contains(command))
    }
    let (_, one, _) = try ServerProcess.run(["help", "users", "add"])
    #expect(one.hasPrefix("usage: understudy users add [NAME] [OPTION ...]\n"))
  }

  @Test("says its version")
  func version() throws {
    let (status, output, _) = try ServerProcess.run(["--version"])
    #expect(status == 0)
    #expect(output.wholeMatch(of: #/understudy \d+\.\d+\.\d+( \([0-9a-f]+\+?\))?\n/#) != nil)
  }

  @Test(
    "refuses what makes no sense with one line and status 2",
    arguments: [
      ([], "say what to do"),
      (["dance"], "there is no command 'dance'"),
      (["serve", "--prot", "1"], "there is no option '--prot'"),
      (["serve", "--port"], "--port needs a value"),
      (["serve", "--port", "http"], "--port is 'http': expected a whole number from 0 to 65535"),
      (["serve", "--port", "65536"], "--port is '65536'"),
      (["serve", "--header-memory", "2048"], "a whole number from 4096"),
      (["serve", "--port=1", "--port=2"], "--port is there twice"),
      (["serve", "--log-level", "loud"], "expected error, warning, info or debug"),
      (["serve", "--public-url", "cmsc106.net"], "expected http:// or https://"),
      (["serve", "--public-url", "http://host/path"], "expected http:// or https://"),
      (["serve", "--trust-proxy", "10.0.0.0/33"], "--trust-proxy is '10.0.0.0/33'"),
      (["serve", "--https", "443,70000"], "--https is '70000': expected whole numbers from 0 to 65535"),
      (["serve", "--https", "443", "--https", "https"], "--https is 'https'"),
      (["serve", "--published", "443"], "--published is '443': expected two ports, as 443:8443"),
      (["serve", "--name", "cmsc106.net,"], "--name is ''"),
      (["serve", "--name", "https://cmsc106.net"], "expected host names or addresses"),
      (["serve", "--name", "*.example"], "--name is '*.example'"),
      (["serve", "--name", "com"], "--name is 'com': expected host names or addresses: names have a dot"),
      (["certificate", "--name", "localhost,org."], "--name is 'org.'"),
      (["serve", "--name", "bücher.example"], "letters of other alphabets written as xn--…"),
      (["serve", "--name", "cmsc106.net api.example.org"], "--name is 'cmsc106.net api.example.org'"),
      (["hosts", "--name", "a.example, x y"], "--name is 'x y'"),
      (["hosts", "--dnsmasq", "--address", "10.0. 0.7"], "--address is '10.0. 0.7'"),
      (["certificate", "--name", "foo bar"], "--name is 'foo bar'"),
      (["serve", "--https", "44 3"], "--https is '44 3'"),
      (["serve", "--published", "443: 8443"], "--published is '443: 8443'"),
      (["serve", "--trust-proxy", "10.0.0.1 10.0.0.2"], "--trust-proxy is '10.0.0.1 10.0.0.2'"),
      (["serve", "--name", "10.0.0.256"], "--name is '10.0.0.256'"),
      (["serve", "--https", "0", "--tls-cert", "x"], "--tls-cert and --tls-key go together"),
      (["serve", "--tls-cert", "x", "--tls-key", "y"], "--tls-cert is of no use without --https"),
      (["certificate", "--install", "--uninstall"], "--install and --uninstall exclude each other"),
      (["serve", "--ephemeral=yes"], "--ephemeral takes no value"),
      (["serve", "now"], "'now' is not an option"),
      (["health", "--port", "0"], "--port is '0': expected a whole number from 1 to 65535"),
      (["health", "--wait", "-1"], "--wait is '-1'"),
      (
        ["serve", "--backup-every", "6"],
        "--backup-every is '6': expected a number with s, m, h or d behind it"
      ),
      (["serve", "--backup-every", "367d"], "at most a year"),
      (["serve", "--ephemeral", "--backup-every", "6h"], "--backup-every is of no use with --ephemeral"),
      (["users"], "say which: users list, users add"),
      (["users", "dance"], "there is no command 'users dance'"),
      (["users", "list"], "say whose users: --app invasive or --app directory"),
      (["users", "list", "--app", "cooking"], "--app is 'cooking': expected invasive or directory"),
      (["users", "add", "--app", "invasive"], "say who: a NAME, or --csv FILE"),
      (["users", "add", "--app", "invasive", "ada", "--csv", "x"], "--csv says who is added"),
      (["users", "add", "--app", "invasive", "ada", "bob"], "'bob' is one too many"),
      (["users", "add", "--app", "invasive", "ada", "--password", "x"], "there is no option '--password'"),
      (["users", "rename", "--app", "invasive", "ada"], "one is missing of NAME NEW-NAME"),
      (
        ["users", "reset-password", "--app", "invasive", "ada", "--new-key"],
        "--new-key is for --app directory"
      ),
      (["users", "delete", "--app", "invasive"], "NAME is missing"),
      (["backup"], "FILE is missing"),
      (["backup", "a", "--keep", "0"], "--keep is '0': expected a whole number from 1 to 100000"),
      (["restore", ""], "FILE is empty"),
      (["hosts", "--apply", "--remove"], "--apply and --remove exclude each other"),
      (["hosts", "--dnsmasq", "--apply"], "--dnsmasq only prints"),
      (["hosts", "--address", "10.0.0.1"], "--address belongs to --dnsmasq"),
      (
        ["hosts", "--dnsmasq", "--address", "nowhere"],
        "--address is 'nowhere': expected an IPv4 or IPv6 address"
      ),
      (["hosts", "--name", "ok.example,no_name"], "--name is 'no_name': expected the name of a host"),
      (["hosts", "--name", "10.0.0.1"], "expected a name"),
      (["hosts", "--file", "a", "--file", "b"], "--file is there twice"),
    ])
  func refusals(arguments: [String], reason: String) throws {
    let (status, output, errors) = try ServerProcess.run(arguments)
    #expect(status == 2)
    #expect(output.isEmpty)
    #expect(errors.hasPrefix("understudy: "))
    #expect(errors.contains(reason))
    #expect(errors.split(separator: "\n").count == 1)
  }

  @Test("names the environment variable that makes no sense")
  func variable() throws {
    let (status, _, errors) = try ServerProcess.run(["serve"], environment: ["UNDERSTUDY_PORT": "x"])
    #expect(status == 2)
    #expect(errors.contains("UNDERSTUDY_PORT is 'x'"))
    let (second, _, complaint) = try ServerProcess.run(
      ["serve"], environment: ["UNDERSTUDY_NAMES": "cmsc106.net,a b!"])
    #expect(second == 2)
    #expect(complaint.contains("UNDERSTUDY_NAMES is 'a b!'"))
  }

  @Test("a variable that looks like one of this program's and is none is named at the start")
  func misspeltVariables() throws {
    let (_, _, errors) = try ServerProcess.run(
      ["serve"],
      environment: [
        "UNDERSTUDY_NAME": "cmsc106.net", "UNDERSTUDY_PROT": "1", "UNDERSTUDY_SERVICE_HOST": "10.0.0.1",
        "UNDERSTUDY_PORT_8080_TCP": "tcp://10.0.0.1:8080", "UNDERSTUDY_PORT": "x",
      ])
    let lines = errors.split(separator: "\n")
    #expect(
      lines.dropLast() == [
        "understudy: there is no variable UNDERSTUDY_NAME, and it does nothing: is UNDERSTUDY_NAMES meant?",
        "understudy: there is no variable UNDERSTUDY_PROT, and it does nothing: is UNDERSTUDY_PORT meant?",
      ])
  }
}
