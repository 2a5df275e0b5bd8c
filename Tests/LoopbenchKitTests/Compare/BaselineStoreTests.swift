import FoundationEssentials
import LoopbenchKit
import Testing

@Suite("BaselineStore")
struct BaselineStoreTests {
  /// Runs `body` with a folder that is not there yet, and removes it.
  private func withStore(_ body: (BaselineStore) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path() + "/baselines-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(BaselineStore(folder: folder))
  }

  @Test("what is saved is listed, read back, replaced and removed")
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
    "a name that is a path, hidden, an option or too long is refused",
    arguments: ["", ".", "..", ".hidden", "-f", "a/b", "../x", "a b", "é", "a\n", "_a"]
      + [String(repeating: "a", count: 65)]
  )
  func names(name: String) throws {
    try withStore { store in
      let report = try Fixture().report()
      let error = LoopbenchError.usage(
        "\"\(name)\" cannot name a baseline: use at most 64 letters, digits, \".\", \"_\" and"
          + " \"-\", a letter or digit first"
      )
      #expect(throws: error) { try store.save(report, as: name) }
      #expect(throws: error) { try store.load(name) }
      #expect(throws: error) { try store.remove(name) }
      #expect(!FileManager.default.fileExists(atPath: store.folder))
    }
  }

  @Test("one that is not there is named, with the nearest that is")
  func missing() throws {
    try withStore { store in
      var error = #expect(throws: LoopbenchError.self) { try store.load("main") }
      #expect(error?.description.contains("baseline save main FILE makes it") ?? false)
      try store.save(try Fixture().report(), as: "main")
      error = #expect(throws: LoopbenchError.self) { try store.remove("mian") }
      #expect(error?.description.hasSuffix("; did you mean \"main\"?") ?? false)
    }
  }

  @Test("one that was cut short or is something else is told from one that is not there")
  func damaged() throws {
    try withStore { store in
      try store.save(try Fixture().report(), as: "main")
      let path = try store.path(of: "main")
      let start = "the baseline \"main\" cannot be used: "
      let whole = try Data(contentsOf: URL(filePath: path))
      for part in [0, 1, whole.count / 2, whole.count - 3] {
        try whole.prefix(part).write(to: URL(filePath: path))
        let reason = "\(path) is no complete report of loopbench; measure again with -o \(path)"
        #expect(throws: LoopbenchError.failed(start + reason)) { try store.load("main") }
      }
      try Data("{\"schema\": \"loopbench/9\"}".utf8).write(to: URL(filePath: path))
      let reason = "\(path) has schema loopbench/9, this loopbench reads loopbench/1"
      #expect(throws: LoopbenchError.failed(start + reason)) { try store.load("main") }
    }
  }

  @Test("a folder that cannot be made is named")
  func folder() throws {
    let store = BaselineStore(folder: "/dev/null/x")
    let report = try Fixture().report()
    let error = LoopbenchError.failed("the folder /dev/null/x cannot be made or read")
    #expect(throws: error) { try store.save(report, as: "a") }
    #expect(try store.list() == [])
  }
}
