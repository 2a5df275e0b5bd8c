import TestSupport
import Testing

@Suite("TestProgram", .enabled(if: Interposed.isAvailable))
struct TestProgramTests {
  @Test("a process that the system refuses several times is started")
  func refused() throws {
    let output = try Interposed.refusingProcesses(5) { try TestProgram.run("true") }
    #expect(output.code == 0)
  }

  @Test("a process that the system keeps refusing is an error")
  func keptRefusing() {
    #expect(throws: (any Error).self) {
      try Interposed.refusingProcesses(.max) { try TestProgram.run("true") }
    }
  }
}
