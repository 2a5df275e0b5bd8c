import Foundation

/// A thumbnail, ready to be written.
struct Thumbnail: Sendable {
  let width: Int
  let height: Int
  private let png: [UInt8]

  /// Makes the thumbnail of the picture at `path`. Call on a worker.
  ///
  /// - Throws: A `CancellationError` between two steps once `isCancelled` says so; why
  ///   gdk-pixbuf can not read it.
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

  /// Writes it as `name` in `folder`, whole or not at all. Call on a worker.
  func write(as name: String, in folder: String) throws {
    // Not `.atomic`, which waits for the disk each time: a thumbnail can be made anew.
    let (path, part) = ("\(folder)/\(name)", "\(folder)/.\(name).part")
    // try?: why it failed is told of the hidden file, which nobody asked for.
    let isWritten = (try? Data(png).write(to: URL(fileURLWithPath: part))) != nil
    guard isWritten, rename(part, path) == 0 else {
      unlink(part)
      throw Failure("cannot write '\(path)'")
    }
  }
}
