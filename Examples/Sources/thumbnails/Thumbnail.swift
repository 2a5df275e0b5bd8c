import Foundation

/// A thumbnail, encoded as PNG.
struct Thumbnail: Sendable {
  let width: Int
  let height: Int
  private let png: [UInt8]

  /// Makes the thumbnail of the picture at `path`. Call on a worker.
  ///
  /// - Throws: `CancellationError` if `isCancelled` returns true between two steps, or a
  ///   `Failure` with gdk-pixbuf's error message.
  init(of path: String, size: Int, isCancelled: () -> Bool) throws {
    func checkCancelled() throws { if isCancelled() { throw CancellationError() } }
    try checkCancelled()
    let picture = try Pixbuf(path: path)
    try checkCancelled()
    let scaled = try picture.scaled(toFit: size)
    try checkCancelled()
    png = try scaled.png()
    (width, height) = (scaled.width, scaled.height)
  }

  /// Writes the file `name` in `folder` atomically. Call on a worker.
  func write(as name: String, in folder: String) throws {
    // Does not use `.atomic`, which waits for the disk. A thumbnail that is lost can be
    // made again.
    let (path, part) = ("\(folder)/\(name)", "\(folder)/.\(name).part")
    // try?: the error would name the temporary file, which the user does not know.
    let isWritten = (try? Data(png).write(to: URL(fileURLWithPath: part))) != nil
    guard isWritten, rename(part, path) == 0 else {
      unlink(part)
      throw Failure("cannot write '\(path)'")
    }
  }
}
