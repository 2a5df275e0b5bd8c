import LoopbenchKit
import Testing

@Suite("FreshProcess")
struct FreshProcessTests {
  @Test("running a program passes its arguments unchanged and returns its exit code")
  func words() throws {
    let words = ["a b", "it's", "$HOME", "*", "", "\\", "é\n"]
    let tests = words.enumerated().map { index, word in
      "[ \"${\(index + 1)}\" = \(FreshProcess.quoted(word)) ]"
    }
    let script = tests.joined(separator: " && ") + " && exit 42"
    let code = try FreshProcess.run(["/bin/sh", "-c", script, "sh"] + words) { false }
    #expect(code == 42)
    #expect(try FreshProcess.run(["/bin/sh", "-c", "kill -9 $$"]) { false } == 137)
    #expect(try FreshProcess.run(["/no/such/program"]) { false } == 127)
  }

  @Test("a program is killed when the run is interrupted")
  func interrupted() throws {
    #expect(try FreshProcess.run(["/bin/sleep", "86398"]) { true } == nil)
  }
}
