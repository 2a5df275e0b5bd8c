import Foundation

/// A folder that is removed at the end of a test.
final class Folder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "loopbench-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // try?: the system removes temporary files later.
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String, _ text: String? = nil) throws -> String {
    let file = path + "/" + name
    if let text { try text.write(toFile: file, atomically: true, encoding: .utf8) }
    return file
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}
