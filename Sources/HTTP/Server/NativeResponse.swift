import CMicroHTTPD
import JSON

/// Making libmicrohttpd's response objects.
enum NativeResponse {
  /// libmicrohttpd's object for a response; the caller destroys it. Nil where memory has run out.
  static func make(_ response: Response, fixedFields: [Field]) -> OpaquePointer? {
    guard let native = make(response.body) else { return nil }
    if let type = response.type { add("Content-Type", type, to: native) }
    switch response.caching {
    case .noStore: add("Cache-Control", "no-store", to: native)
    case .validated(let etag):
      add("Cache-Control", "no-cache", to: native)
      if let etag { add("ETag", etag.text, to: native) }
    }
    if response.closesConnection { add("Connection", "close", to: native) }
    for field in response.fields { add(field.name, field.value, to: native) }
    for field in fixedFields { add(field.name, field.value, to: native) }
    return native
  }

  /// With the texts as they lie: a `String` handed to C as it is would be copied first.
  private static func add(_ name: String, _ value: String, to response: OpaquePointer) {
    name.withCString { name in
      value.withCString { value in _ = MHD_add_response_header(response, name, value) }
    }
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
