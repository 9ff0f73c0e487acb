import CCurl

extension HTTPClient {
  /// libcurl's version, as `7.88.1`.
  public static var libraryVersion: String {
    String(cString: curl_version_info(CURLVERSION_FIRST).pointee.version)
  }
}
