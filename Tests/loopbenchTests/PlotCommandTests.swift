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

  @Test("plot writes SVG and HTML, and draws on the terminal")
  func kinds() throws {
    for kind in PlotKind.allCases.filter({ $0 != .growth }).map(\.rawValue) {
      let svg = try folder.file(kind + ".svg")
      #expect(FakeProgram().run("plot", file, "--kind", kind, "-o", svg).code == .success)
      #expect(try folder.text(kind + ".svg").hasPrefix("<svg"))
      let terminal = FakeProgram().run("plot", file, "--kind", kind, "--term", "--ascii")
      #expect(terminal.code == .success)
      #expect(terminal.output.contains("tiny"))
      #expect(terminal.output.utf8.allSatisfy { $0 < 128 })
    }
    #expect(FakeProgram().run("plot", file, "-o", try folder.file("a.html")).code == .success)
    #expect(try folder.text("a.html").hasPrefix("<!DOCTYPE html>"))
    let growth = FakeProgram().run("plot", file, "--kind", "growth", "--term")
    #expect(growth.code == .success && growth.output == "nothing to plot\n")
  }

  @Test("plot without a target, or with an unknown suffix, causes exit code 2")
  func nowhere() throws {
    #expect(FakeProgram().run("plot", file).code == .usage)
    let png = FakeProgram().run("plot", file, "-o", "a.png")
    #expect(png.code == .usage)
    #expect(png.error.contains("ends in .svg or .html"))
  }

  @Test("a scenario or peer that no file contains causes exit code 6, and nothing is drawn")
  func names() throws {
    for words in [["-s", "nosuch"], ["-p", "lu"]] {
      for command in [["report"], ["plot", "--term"]] {
        let result = FakeProgram().run(command + [file] + words)
        #expect(result.code == .unavailable)
        #expect(result.output == "")
        #expect(result.error.contains("\"\(words[1])\"; they have "))
      }
    }
    #expect(FakeProgram().run("report", file, "-p", "uv").code == .success)
    #expect(FakeProgram().run("report", file, "-p", "uv,uv.again").code == .success)
  }

  @Test("a run can draw a plot and export results")
  func run() throws {
    let (plot, csv) = (try folder.file("b.svg"), try folder.file("b.csv"))
    let result = FakeProgram()
      .run("tiny", "--rounds", "10", "--plot", plot, "--export", "csv=\(csv)")
    #expect(result.code == .success, "\(result.error)")
    #expect(try folder.text("b.svg").hasPrefix("<svg"))
    #expect(try folder.text("b.csv").contains("tiny,one,uv"))
    #expect(result.error == "wrote \(csv), \(plot)\n")
  }

  @Test("a file with another schema and a missing file cause different errors")
  func files() throws {
    let other = try folder.file("other.json", "{\"schema\":\"else/2\"}")
    #expect(FakeProgram().run("report", other).error.contains("has schema else/2"))
    #expect(FakeProgram().run("report", "nowhere.json").code == .failed)
  }
}
