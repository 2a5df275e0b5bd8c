#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads files of pictures: nothing but files, for who reads a pipe waits for its writer.
enum PictureFile {
  // Bytes between two questions.
  private static let block = 1 << 16

  /// What is in the file at `path`; `isCancelled` is asked every 64 KiB.
  ///
  /// - Throws: An `ImageError`; a `CancellationError` once `isCancelled` says so.
  static func read(_ path: String, isCancelled: () -> Bool) throws -> [UInt8] {
    // One more than it may have, to see that it has.
    let bytes = try read(path, limit: ImageSource.largestFile + 1, isCancelled)
    if bytes.count > ImageSource.largestFile { throw ImageError.fileTooLarge }
    return bytes
  }

  /// What it begins with, `limit` bytes at most.
  static func read(_ path: String, limit: Int, _ isCancelled: () -> Bool) throws -> [UInt8] {
    let descriptor = try open(path)
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    // Not by the size that the system tells: a file may grow.
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

  // Asked of what was opened: at its path there may be something else by then.
  private static func open(_ path: String) throws(ImageError) -> Int32 {
    // Without waiting for a pipe's writer. For a file it makes no difference.
    let descriptor = openReading(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, code: errno) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return descriptor }
    close(descriptor)
    throw .notAFile(path: path)
  }

  // How many bytes there were; fewer than fit at the file's end only.
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

// By their own names: in an enum that has an `open` and a `read`, these are not seen.
private func openReading(_ path: String, _ flags: Int32) -> Int32 { open(path, flags) }

private func readBytes(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}
