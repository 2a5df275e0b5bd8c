import Foundation

/// The public types of a library, as docs/api records them.
///
/// Test targets of several packages share this file through symbolic links.
enum PublicTypes {
  /// Returns the names of the types of `library`, in the order recorded.
  static func names(of library: String) throws -> [String] {
    let file = try folder().appending(path: "\(library).txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .compactMap {
        try? /([\w.]+) \| (?:open |final )*(?:class|struct|enum|actor) .*/.wholeMatch(in: $0)
      }
      .map { String($0.output.1) }
  }

  // Searched upwards, because the path of this file may be a link's path.
  private static func folder() throws -> URL {
    var parent = URL(filePath: #filePath)
    while parent.path != "/" {
      parent = parent.deletingLastPathComponent()
      let api = parent.appending(path: "docs/api")
      if FileManager.default.fileExists(atPath: api.path) { return api }
    }
    throw CocoaError(.fileNoSuchFile)
  }
}
