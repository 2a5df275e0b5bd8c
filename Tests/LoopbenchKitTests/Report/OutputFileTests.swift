import FoundationEssentials
import LoopbenchKit
import Testing

@Suite("OutputFile")
struct OutputFileTests {
  private let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).json"

  @Test("a finished file is in its place, with nothing left beside it")
  func finish() throws {
    try OutputFile(path: path).finish(with: "{}\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}\n")
    #expect(!FileManager.default.fileExists(atPath: path + ".part"))
    try FileManager.default.removeItem(atPath: path)
  }

  @Test("a file that was not finished leaves nothing, and what was there stays")
  func abandon() throws {
    try OutputFile(path: path).finish(with: "old")
    _ = try OutputFile(path: path)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "old")
    #expect(!FileManager.default.fileExists(atPath: path + ".part"))
    try FileManager.default.removeItem(atPath: path)
  }

  @Test("a directory in the file's place is told at once")
  func directory() {
    let error = #expect(throws: SystemError.self) { try OutputFile(path: "/") }
    #expect(error?.description == "illegal operation on a directory")
  }

  @Test("a directory that does not exist is told at once")
  func noDirectory() {
    let error = #expect(throws: SystemError.self) {
      try OutputFile(path: "/no/such/directory/file")
    }
    #expect(error?.description == "no such file or directory")
  }
}
