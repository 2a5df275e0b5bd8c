import FoundationEssentials
import LoopbenchKit
import Testing

@Suite("BaselineStore")
struct BaselineStoreTests {
  /// Runs `body` with a store whose folder does not exist yet, and removes the
  /// folder afterwards.
  private func withStore(_ body: (BaselineStore) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path() + "/baselines-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(BaselineStore(folder: folder))
  }

  @Test("a saved report can be listed, loaded, replaced and removed")
  func life() throws {
    try withStore { store in
      #expect(try store.list() == [])
      var fixture = Fixture()
      let first = try fixture.report()
      fixture.seed = 8
      let second = try fixture.report()
      try store.save(first, as: "main")
      try store.save(first, as: "2025-11")
      #expect(try store.list() == ["2025-11", "main"])
      #expect(try store.load("main") == first)
      try store.save(second, as: "main")
      #expect(try store.load("main") == second)
      try store.remove("main")
      #expect(try store.list() == ["2025-11"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder) == ["2025-11.json"])
    }
  }

  @Test(
    "a name is refused if it is a path, a hidden file, an option or too long",
    arguments: ["", ".", "..", ".hidden", "-f", "a/b", "../x", "a b", "é", "a\n", "_a"]
      + [String(repeating: "a", count: 65)]
  )
  func names(name: String) throws {
    try withStore { store in
      let report = try Fixture().report()
      let error = LoopbenchError.usage(
        "\"\(name)\" is not a valid baseline name: use at most 64 letters, digits, \".\", \"_\" and"
          + " \"-\", a letter or digit first"
      )
      #expect(throws: error) { try store.save(report, as: name) }
      #expect(throws: error) { try store.load(name) }
      #expect(throws: error) { try store.remove(name) }
      #expect(!FileManager.default.fileExists(atPath: store.folder))
    }
  }

  @Test("the error for a missing baseline suggests the nearest name")
  func missing() throws {
    try withStore { store in
      var error = #expect(throws: LoopbenchError.self) { try store.load("main") }
      #expect(
        error?.description.contains("create it with loopbench baseline save main FILE") ?? false
      )
      try store.save(try Fixture().report(), as: "main")
      error = #expect(throws: LoopbenchError.self) { try store.remove("mian") }
      #expect(error?.description.hasSuffix("; did you mean \"main\"?") ?? false)
    }
  }

  @Test("a truncated baseline and a baseline with another schema cause different errors")
  func damaged() throws {
    try withStore { store in
      try store.save(try Fixture().report(), as: "main")
      let path = try store.path(of: "main")
      let start = "the baseline \"main\" cannot be used: "
      let whole = try Data(contentsOf: URL(filePath: path))
      for part in [0, 1, whole.count / 2, whole.count - 3] {
        try whole.prefix(part).write(to: URL(filePath: path))
        let reason =
          "\(path) is not a complete loopbench report; name a file that loopbench -o wrote"
        #expect(throws: LoopbenchError.failed(start + reason)) { try store.load("main") }
      }
      try Data("{\"schema\": \"loopbench/9\"}".utf8).write(to: URL(filePath: path))
      let reason = "\(path) has schema loopbench/9, but this loopbench reads loopbench/1"
      #expect(throws: LoopbenchError.failed(start + reason)) { try store.load("main") }
    }
  }

  @Test("the error for a folder that cannot be created names it")
  func folder() throws {
    let store = BaselineStore(folder: "/dev/null/x")
    let report = try Fixture().report()
    let error = LoopbenchError.failed("the folder /dev/null/x cannot be created or read")
    #expect(throws: error) { try store.save(report, as: "a") }
    #expect(try store.list() == [])
  }
}
