#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads image files. Only regular files are allowed, because reading a pipe
/// would block until data is written to it.
enum PictureFile {
  // The number of bytes between two calls of `isCancelled`.
  private static let block = 1 << 16

  /// Returns the content of the file at `path`. `isCancelled` is called every
  /// 64 KiB.
  ///
  /// - Throws: `ImageError` if the file cannot be read or is too large;
  ///   `CancellationError` once `isCancelled` returns true.
  static func read(_ path: String, isCancelled: () -> Bool) throws -> [UInt8] {
    // Reads one byte more than the limit, to detect a larger file.
    let bytes = try read(path, limit: ImageSource.largestFile + 1, isCancelled)
    if bytes.count > ImageSource.largestFile { throw ImageError.fileTooLarge }
    return bytes
  }

  /// Returns the beginning of the file, up to `limit` bytes.
  static func read(_ path: String, limit: Int, _ isCancelled: () -> Bool) throws -> [UInt8] {
    let descriptor = try open(path)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    // The size that `fstat` returns is not used, because the file may grow.
    while bytes.count < limit {
      if isCancelled() { throw CancellationError() }
      let chunk = try [UInt8](unsafeUninitializedCapacity: block) { buffer, count in
        count = try fill(buffer, from: descriptor, path)
      }
      bytes += chunk.prefix(limit - bytes.count)
      if chunk.count < block { break }
    }
    return bytes
  }

  // The open descriptor is checked rather than the path, because the path may
  // refer to another file by then.
  private static func open(_ path: String) throws(ImageError) -> Int32 {
    // C would take the part of the path before a zero byte.
    if path.utf8.contains(0) { throw .unreadable(path: path, code: EINVAL) }
    // O_NONBLOCK: opening a pipe must not wait for a writer. The flag has no
    // effect on regular files.
    let descriptor = openReading(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, code: errno) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return descriptor }
    close(descriptor)
    throw .notAFile(path: path)
  }

  // Returns the number of bytes read. The number is less than the capacity only
  // at the end of the file.
  private static func fill(
    _ buffer: UnsafeMutableBufferPointer<UInt8>,
    from descriptor: Int32,
    _ path: String
  ) throws(ImageError) -> Int {
    var filled = 0
    while filled < buffer.count, let start = buffer.baseAddress {
      let count = readBytes(descriptor, start + filled, buffer.count - filled)
      if count == 0 { break }
      if count > 0 {
        filled += count
      } else if errno != EINTR {
        throw .unreadable(path: path, code: errno)
      }
    }
    return filled
  }
}

// These are free functions, because inside the enum the names `open` and `read`
// refer to the members of the enum.
private func openReading(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
