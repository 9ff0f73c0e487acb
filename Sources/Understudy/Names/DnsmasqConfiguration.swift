import Certificates
import HTTP

/// A configuration for dnsmasq (dnsmasq(8), 2.86 or newer), by which a phone, whose hosts file nobody can
/// edit, finds the names at a machine of ours.
public enum DnsmasqConfiguration {
  /// The text of the file.
  ///
  /// - Parameters:
  ///   - names: which are answered here.
  ///   - addresses: with what.
  ///   - own: those of this machine, on which dnsmasq can listen.
  public static func text(names: [HostName], addresses: [IPAddress], own: [IPAddress]) -> String {
    let listening = addresses.filter(own.contains)
    let first = listening.first ?? addresses.first
    var lines = [
      "# For dnsmasq, by 'understudy hosts --dnsmasq'. Start it with",
      "#   sudo dnsmasq --keep-in-foreground --conf-file=THIS-FILE",
      "# and give phones \(first?.description ?? "this machine") as their DNS server: in the Wi-Fi's settings on the",
      "# phone, or for all of them in the router's.",
    ]
    lines += [
      "", "# This machine's hosts file may lead the names to the machine itself: no answer for others.",
      "no-hosts",
    ]
    for name in names {
      lines += ["", "# No question about it, whatever its type, reaches the name's real servers."]
      lines.append("local=/\(name)/")
      lines += addresses.map { "address=/\(name)/\($0)" }
      lines += ["# The names below it are not stood in for.", "server=/*.\(name)/#"]
    }
    if !listening.isEmpty {
      lines += ["", "# Not where another resolver listens for this machine itself.", "bind-interfaces"]
      lines += listening.map { "listen-address=\($0)" }
    }
    lines += ["", "# Everything else goes to the DNS servers of /etc/resolv.conf."]
    return lines.map { $0 + "\n" }.joined()
  }

  /// The addresses of this machine by which others in the network reach it, IPv4 first.
  public static func outsideAddresses() -> [IPAddress] {
    let outside = machineAddresses().filter { !$0.isLoopback && !$0.isLinkLocal }
    return outside.filter(\.isIPv4) + outside.filter { !$0.isIPv4 }
  }
}
