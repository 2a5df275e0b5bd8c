import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("TraceCommand")
struct TraceCommandTests {
  @Test("trace writes its events")
  func writes() throws {
    let folder = try Folder()
    let path = try folder.file("x.trace.json")
    let result = FakeProgram().run("trace", "tiny", "--for", "1ns", "-n", "3", "-o", path)
    #expect(result.code == .success)
    #expect(result.output == "")
    #expect(result.error == "wrote \(path), 4 events\n")
    let text = try folder.text("x.trace.json")
    #expect(text.hasPrefix("{\"displayTimeUnit\":\"ns\",\"traceEvents\":["))
    #expect(text.contains("\"name\":\"tiny/one/uv\""))
    #expect(text.contains("\"name\":\"batch of 10\""))
    #expect(try folder.names == ["x.trace.json"])
  }

  @Test("trace without a writable file measures nothing")
  func files() {
    let without = FakeProgram().run("trace", "tiny")
    #expect(without.code == .usage)
    #expect(without.error.hasPrefix("loopbench: trace needs -o FILE\n"))
    let unwritable = FakeProgram().run("trace", "tiny", "-o", "/no/such/place/x.json")
    #expect(unwritable.code == .failed)
  }

  @Test("an interrupted trace is written, and the exit code is 130")
  func interrupted() throws {
    let folder = try Folder()
    var program = FakeProgram()
    program.context.interruption = interruption(.interrupted, after: 1)
    let path = try folder.file("x.json")
    let result = program.run("trace", "tiny", "--for", "24h", "-o", path)
    #expect(result.code == .interrupted)
    #expect(try folder.text("x.json").contains("tiny/one/uv"))
  }
}
