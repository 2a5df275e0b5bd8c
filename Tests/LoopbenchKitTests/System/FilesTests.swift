import Foundation
import LoopbenchKit
import Testing

@Suite("OutputFile")
struct OutputFileTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
  private var path: String { folder + "/x.json" }

  init() throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
  }

  private func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
    return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
  }

  @Test("a finished file has its final name, and no temporary file remains")
  func finish() throws {
    try OutputFile(path: path).finish(with: "{}\n")
    #expect(try text("x.json") == "{}\n")
    #expect(try names() == ["x.json"])
  }

  @Test("a file that is not finished leaves no temporary file, and the old file stays")
  func abandon() throws {
    try OutputFile(path: path).finish(with: "old")
    do {
      let file = try OutputFile(path: path)
      _ = file
    }
    #expect(try text("x.json") == "old")
    #expect(try names() == ["x.json"])
  }

  @Test("of two files written to one path at the same time, the last to finish replaces the other")
  func together() throws {
    let (first, second) = (try OutputFile(path: path), try OutputFile(path: folder + "/./x.json"))
    try first.finish(with: "first")
    #expect(try text("x.json") == "first")
    try second.finish(with: "second")
    #expect(try text("x.json") == "second")
    #expect(try names() == ["x.json"])
  }

  @Test("a new file has the default mode, and a replacement keeps the mode of the old file")
  func modes() throws {
    #expect(FileManager.default.createFile(atPath: folder + "/plain", contents: nil))
    try OutputFile(path: path).finish(with: "new")
    #expect(try mode("x.json") == mode("plain"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try OutputFile(path: path).finish(with: "newer")
    #expect(try mode("x.json") == 0o600)
  }

  @Test("a symlink is kept, and its target is created or replaced")
  func symlink() throws {
    let manager = FileManager.default
    try manager.createDirectory(atPath: folder + "/kept", withIntermediateDirectories: false)
    try manager.createSymbolicLink(atPath: path, withDestinationPath: "kept/second")
    try manager.createSymbolicLink(atPath: folder + "/kept/second", withDestinationPath: "real")
    for words in ["one", "two"] {
      try OutputFile(path: path).finish(with: words)
      #expect(try text("kept/real") == words)
    }
    #expect(try manager.destinationOfSymbolicLink(atPath: path) == "kept/second")
    #expect(
      try manager.contentsOfDirectory(atPath: folder + "/kept").sorted() == ["real", "second"]
    )
  }

  @Test("a file that is not a regular file is written to, not replaced")
  func fifo() throws {
    #expect(mkfifo(path, 0o600) == 0)
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    let file = try OutputFile(path: path)
    try file.finish(with: "hello")
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(read(reader, &bytes, bytes.count) == 5)
    let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    #expect(type != nil && type != .typeRegular)
    #expect(try names() == ["x.json"])
  }

  @Test("a file that standard output is redirected to is appended to, not replaced")
  func standardOutput() async {
    await #expect(processExitsWith: .success) {
      let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      #expect(dup2(descriptor, 1) == 1)
      try Terminal.output.write("before ")
      try OutputFile(path: path).finish(with: "file ")
      try Terminal.output.write("after")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      try FileManager.default.removeItem(atPath: path)
      #expect(text == "before file after")
    }
  }

  @Test("opening fails if the path is a directory")
  func directory() {
    let error = #expect(throws: SystemError.self) { try OutputFile(path: "/") }
    #expect(error?.description == "illegal operation on a directory")
  }

  @Test("opening fails if the directory does not exist")
  func noDirectory() {
    let error = #expect(throws: SystemError.self) {
      try OutputFile(path: "/no/such/directory/file")
    }
    #expect(error?.description == "no such file or directory")
  }
}
