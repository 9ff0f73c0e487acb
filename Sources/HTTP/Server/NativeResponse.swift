import CMicroHTTPD
import JSON

/// Making libmicrohttpd's response objects.
enum NativeResponse {
  /// libmicrohttpd's object for a response; the caller destroys it. Nil where memory has run out.
  static func make(_ response: Response, fixedFields: [Field]) -> OpaquePointer? {
    guard let native = make(response.body) else { return nil }
    if let type = response.type { MHD_add_response_header(native, "Content-Type", type) }
    switch response.caching {
    case .noStore: MHD_add_response_header(native, "Cache-Control", "no-store")
    case .validated(let etag):
      MHD_add_response_header(native, "Cache-Control", "no-cache")
      if let etag { MHD_add_response_header(native, "ETag", etag.text) }
    }
    if response.closesConnection { MHD_add_response_header(native, "Connection", "close") }
    for field in response.fields { MHD_add_response_header(native, field.name, field.value) }
    for field in fixedFields { MHD_add_response_header(native, field.name, field.value) }
    return native
  }

  private static func make(_ body: Response.Body) -> OpaquePointer? {
    switch body {
    case .none:
      return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
    case .buffer(let buffer):
      // libmicrohttpd reads the buffer where it is and gives it back when the last byte is sent.
      let kept = Unmanaged.passRetained(buffer)
      let native = MHD_create_response_from_buffer_with_free_callback_cls(
        buffer.count, UnsafeMutableRawPointer(mutating: buffer.bytes.baseAddress), releaseBuffer,
        kept.toOpaque())
      if native == nil { kept.release() }
      return native
    case .embedded(let bytes):
      return MHD_create_response_from_buffer(
        bytes.count, UnsafeMutableRawPointer(mutating: bytes.start), .RESPMEM_PERSISTENT)
    case .file(let file):
      let descriptor = file.duplicateDescriptor()
      guard descriptor >= 0 else { return nil }
      return MHD_create_response_from_fd64(UInt64(file.size), descriptor)
    }
  }
}

private func releaseBuffer(_ buffer: UnsafeMutableRawPointer?) {
  guard let buffer else { return }
  Unmanaged<ByteBuffer>.fromOpaque(buffer).release()
}
