import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("Completion")
struct CompletionTests {
  @Test(
    "a shell is offered commands, scenarios, options and values",
    arguments: [
      (["ti"], ["tiny"]), (["re"], ["report", "replay"]), (["run", "--pro"], ["--progress"]),
      (["report", "--format", "cs"], ["csv"]), (["compare", "a", "-f", "j"], ["json"]),
      (["tiny", "--peers", "uv,l"], ["uv,lt"]), (["baseline", "l"], ["list"]),
      (["baseline", "show", ""], []), (["plot", "a"], [":"]), (["run", "-o", ""], [":"]),
      (["run", "--seed", ""], []), (["trace", "ti"], ["tiny"]), (["trace", "./t"], [":"]),
      (["trace", "server.j"], [":"]),
    ]
  )
  func words(line: [String], expected: [String]) {
    let reply = FakeProgram().run(["__complete"] + line).output
    let words = reply.split(separator: "\n").map { $0.prefix { $0 != "\t" } }
    #expect(Set(words) == Set(expected.map { $0[...] }))
  }
}
