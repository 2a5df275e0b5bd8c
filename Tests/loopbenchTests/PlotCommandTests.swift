import LoopbenchKit
import Testing
import LoopbenchCommands

@Suite("PlotCommand")
struct PlotCommandTests {
  private let folder: Folder
  private let file: String

  init() throws {
    folder = try Folder()
    file = try folder.file("a.json")
    _ = FakeProgram().run("tiny", "--rounds", "10", "-o", file)
  }

  @Test("plot writes an SVG file of each kind")
  func kinds() throws {
    for kind in PlotKind.allCases.filter({ $0 != .growth }).map(\.rawValue) {
      let svg = try folder.file(kind + ".svg")
      #expect(FakeProgram().run("plot", file, "--kind", kind, "-o", svg).code == .success)
      #expect(try folder.text(kind + ".svg").hasPrefix("<svg"))
      #expect(try folder.text(kind + ".svg").contains("tiny"))
    }
    let growth = try folder.file("growth.svg")
    #expect(FakeProgram().run("plot", file, "--kind", "growth", "-o", growth).code == .success)
    #expect(try folder.text("growth.svg").contains(">nothing to plot<"))
  }

  @Test("plot without a target, or with an unknown suffix, causes exit code 2")
  func nowhere() throws {
    #expect(FakeProgram().run("plot", file).code == .usage)
    let png = FakeProgram().run("plot", file, "-o", "a.png")
    #expect(png.code == .usage)
    #expect(png.error.contains("ends in .svg, got"))
  }

  @Test("a scenario or peer that no file contains causes exit code 6, and nothing is drawn")
  func names() throws {
    let svg = try folder.file("names.svg")
    for words in [["-s", "nosuch"], ["-p", "lu"]] {
      for command in [["report"], ["plot", "-o", svg]] {
        let result = FakeProgram().run(command + [file] + words)
        #expect(result.code == .unavailable)
        #expect(result.output == "")
        #expect(result.error.contains("\"\(words[1])\"; they have "))
        #expect(try !folder.names.contains("names.svg"))
      }
    }
    #expect(FakeProgram().run("report", file, "-p", "uv").code == .success)
    #expect(FakeProgram().run("report", file, "-p", "uv,uv.again").code == .success)
  }

  @Test("a file with another schema and a missing file cause different errors")
  func files() throws {
    let other = try folder.file("other.json", "{\"schema\":\"else/2\"}")
    #expect(FakeProgram().run("report", other).error.contains("has schema else/2"))
    #expect(FakeProgram().run("report", "nowhere.json").code == .failed)
  }
}
