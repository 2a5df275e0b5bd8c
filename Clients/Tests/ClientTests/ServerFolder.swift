import Foundation

/// A temporary folder for a server's files.
final class ServerFolder: Sendable {
  let url: URL

  init() throws {
    var template = Array("/tmp/clients-XXXXXX".utf8CString)
    guard let path = mkdtemp(&template) else { throw POSIXError(.EIO) }
    url = URL(fileURLWithPath: String(cString: path), isDirectory: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
