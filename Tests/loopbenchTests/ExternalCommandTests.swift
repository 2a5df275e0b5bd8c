import Foundation
import LoopbenchCommands
import LoopbenchKit
import Testing

@Suite("Programs of others")
struct ExternalCommandTests {
  private let folder: Folder
  private var program = FakeProgram()

  init() throws {
    folder = try Folder()
    for name in ["loopbench-plug", "loopbench-tiny"] {
      let path = try folder.file(name, "no program\n")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    program.context.folders = [folder.path]
  }

  @Test("one is meant where its name is misspelt")
  func suggestion() {
    for line in [["plg"], ["help", "plg"]] {
      #expect(program.run(line).error.contains("did you mean \"plug\"?"), "\(line)")
    }
  }

  @Test("one that a scenario's name hides is listed as such")
  func hidden() {
    let text = program.run("list", "commands").output
    #expect(text.contains("the program loopbench-plug\n"))
    #expect(text.contains("the program loopbench-tiny; only by that name: tiny is"))
  }

  @Test("a file that is no program is told in words, also where its help is asked for")
  func noProgram() {
    for line in [["plug", "x"], ["help", "plug"]] {
      let result = program.run(line)
      #expect(result.code == .failed)
      #expect(result.error.contains("cannot run \(folder.path)/loopbench-plug: "))
      #expect(!result.error.contains("Unknown"), "\(result.error)")
    }
  }
}
