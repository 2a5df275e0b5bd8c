import LoopbenchKit

/// The file that a command writes. It is opened before the command measures, so that an
/// unwritable path is reported immediately.
struct ResultFile {
  let path: String
  private let file: OutputFile

  init(_ path: String) throws(LoopbenchError) {
    self.path = path
    do { file = try OutputFile(path: path) } catch { throw .unwritable(path, error) }
  }

  /// Writes the file atomically.
  func finish(with text: String) throws(LoopbenchError) {
    do { try file.finish(with: text) } catch { throw .unwritable(path, error) }
  }

  /// The last component of a path.
  static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
