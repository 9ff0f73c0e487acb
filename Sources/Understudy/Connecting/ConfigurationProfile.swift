/// An Apple configuration profile that brings an authority to an iPhone, iPad or Mac
/// (https://developer.apple.com/documentation/devicemanagement/certificateroot).
enum ConfigurationProfile {
  static let type = "application/x-apple-aspen-config"

  /// The profile as a property list. Its UUIDs come from the certificate: the same authority's replaces
  /// itself, that of another server stands beside it.
  static func text(for anchor: TrustAnchor) -> String {
    let (profile, payload) = (anchor.uuid(of: "profile"), anchor.uuid(of: "payload"))
    let name = "Understudy \(anchor.shortName)"
    let purpose = "Lets this device trust a server that stands in for cmsc106.net."
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>
        <key>PayloadType</key><string>Configuration</string>
        <key>PayloadVersion</key><integer>1</integer>
        <key>PayloadIdentifier</key><string>understudy.\(profile)</string>
        <key>PayloadUUID</key><string>\(profile)</string>
        <key>PayloadDisplayName</key><string>\(name)</string>
        <key>PayloadDescription</key><string>\(purpose)</string>
        <key>PayloadRemovalDisallowed</key><false/>
        <key>PayloadContent</key>
        <array>
          <dict>
            <key>PayloadType</key><string>com.apple.security.root</string>
            <key>PayloadVersion</key><integer>1</integer>
            <key>PayloadIdentifier</key><string>understudy.\(profile).\(payload)</string>
            <key>PayloadUUID</key><string>\(payload)</string>
            <key>PayloadDisplayName</key><string>\(name)</string>
            <key>PayloadDescription</key><string>SHA-256 \(anchor.fingerprint)</string>
            <key>PayloadCertificateFileName</key><string>understudy.crt</string>
            <key>PayloadContent</key>
            <data>
      \(anchor.base64)
            </data>
          </dict>
        </array>
      </dict>
      </plist>

      """
  }
}
