import LoopbenchKit
import Testing
import loopbench

@Suite("Look")
struct LookTests {
  private func look(
    _ environment: [String: String],
    isTerminal: Bool = true,
    _ change: (inout Options) -> Void = { _ in }
  ) -> Look {
    var options = Options()
    change(&options)
    return Look(options, environment: environment) { _ in isTerminal }
  }

  @Test("colour is for a terminal, unless the environment or an option says")
  func color() {
    #expect(look([:]).usesColor)
    #expect(!look([:], isTerminal: false).usesColor)
    #expect(!look(["NO_COLOR": "1"]).usesColor)
    #expect(look(["NO_COLOR": ""]).usesColor)
    #expect(!look(["TERM": "dumb"]).usesColor)
    #expect(look(["CLICOLOR_FORCE": "1"], isTerminal: false).usesColor)
    #expect(!look(["CLICOLOR_FORCE": "0"], isTerminal: false).usesColor)
    #expect(!look(["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]).usesColor)
    #expect(look(["NO_COLOR": "1"]) { $0.color = .always }.usesColor)
    #expect(!look([:]) { $0.color = .never }.usesColor)
  }

  @Test("progress is for a terminal that somebody looks at")
  func progress() {
    #expect(look([:]).usesProgress)
    #expect(!look([:], isTerminal: false).usesProgress)
    #expect(!look(["CI": "true"]).usesProgress)
    #expect(look(["CI": "false"]).usesProgress)
    #expect(!look(["TERM": "dumb"]).usesProgress)
    #expect(look(["CI": "1"], isTerminal: false) { $0.progress = .always }.usesProgress)
    #expect(!look([:]) { $0.progress = .never }.usesProgress)
    #expect(!look([:]) { $0.isQuiet = true }.usesProgress)
    #expect(!look([:]) { ($0.isQuiet, $0.progress) = (true, .always) }.usesProgress)
  }

  @Test("ASCII is for a dumb terminal, or on request")
  func ascii() {
    #expect(!look([:]).isASCII)
    #expect(look(["TERM": "dumb"]).isASCII)
    #expect(look([:]) { $0.isASCII = true }.isASCII)
  }
}
