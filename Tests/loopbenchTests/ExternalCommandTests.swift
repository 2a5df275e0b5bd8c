import Foundation
import LoopbenchCommands
import LoopbenchKit
import Testing

@Suite("ExternalCommand")
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

  @Test("a misspelt name suggests an external program")
  func suggestion() {
    for line in [["plg"], ["help", "plg"]] {
      #expect(program.run(line).error.contains("did you mean \"plug\"?"), "\(line)")
    }
  }

  @Test("a program of the repository that is missing has a hint how to build it")
  func missing() {
    for (name, package) in [("frames", "Display"), ("peers", "Peers")] {
      for line in [[name], ["help", name], [name, "-d", "9s"]] {
        let result = program.run(line)
        #expect(result.code == .unavailable)
        #expect(result.error.contains("swift build --package-path \(package)"), "\(result.error)")
      }
    }
  }

  @Test("a program does not list itself as another program")
  func itself() {
    var program = program
    program.context.arguments = ["bin/loopbench-tiny"]
    let text = program.run("list", "commands").output
    #expect(text.contains("the program loopbench-plug\n") && !text.contains("loopbench-tiny"))
  }

  @Test("list notes a program whose name is hidden by a scenario")
  func hidden() {
    let text = program.run("list", "commands").output
    #expect(text.contains("the program loopbench-plug\n"))
    #expect(text.contains("the program loopbench-tiny; run it by that name, because tiny is"))
  }

  // In its own process, because Linux refuses to start threads in a process that
  // calls execve at the same time.
  @Test("running a file that is not a program fails with an error message, also for its help")
  func noProgram() async {
    await #expect(processExitsWith: .success) {
      let tests = try ExternalCommandTests()
      for line in [["plug", "x"], ["help", "plug"]] {
        let result = tests.program.run(line)
        #expect(result.code == .failed)
        #expect(result.error.contains("cannot run \(tests.folder.path)/loopbench-plug: "))
        #expect(!result.error.contains("Unknown"), "\(result.error)")
      }
    }
  }
}
