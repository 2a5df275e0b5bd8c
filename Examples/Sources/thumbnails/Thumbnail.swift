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

  /// Writes it to `path`, whole or not at all. Call on a worker.
  func write(to path: String) throws {
    do {
      try Data(png).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw Failure("cannot write '\(path)'")
    }
  }
}
