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

  /// Listens at a Unix socket in the folder. Returns its descriptor, which the caller closes.
  func listen(at name: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path(name).utf8) }
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard code == 0, Foundation.listen(descriptor, 8) == 0 else { throw POSIXError(.EADDRINUSE) }
    return descriptor
  }
}
