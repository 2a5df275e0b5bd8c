import Foundation
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
    #expect(without.error.hasPrefix("loopbench: trace needs -o FILE, or the path of a trace"))
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

  private static let trace = """
    {"traceEvents":[{"ph":"X","name":"tick","pid":1,"tid":1,"ts":1,"dur":5},
    {"ph":"X","cat":"timer","name":"late","pid":1,"tid":1,"ts":2,"dur":3}]}
    """

  @Test("trace FILE prints a summary and draws a page beside the file, again and again")
  func draws() throws {
    let folder = try Folder()
    let path = try folder.file("server.json", Self.trace)
    for _ in 1...2 {
      let result = FakeProgram().run("trace", path)
      #expect(result.code == .success, "\(result.error)")
      #expect(result.output.hasPrefix("server.json: 1 thread, 1 tick, 2 spans in 5.00 us\n"))
      #expect(result.output.contains("timer late"))
      #expect(result.error == "wrote \(folder.path)/server.html\n")
      #expect(try folder.names == ["server.html", "server.json"])
    }
    #expect(try folder.text("server.html").contains("<title>loopbench: server.json</title>"))
    #expect(try folder.text("server.json") == Self.trace)
  }

  @Test("trace FILE -o PAGE writes the page there, and -q omits the note")
  func output() throws {
    let folder = try Folder()
    let (path, page) = (try folder.file("server.json", Self.trace), try folder.file("a.html"))
    let result = FakeProgram().run("trace", path, "-q", "-o", page)
    #expect(result.code == .success)
    #expect(result.error == "")
    #expect(try folder.names == ["a.html", "server.json"])
  }

  @Test("trace FILE never replaces the file, nor a page that the user did not name")
  func keeps() throws {
    let folder = try Folder()
    let path = try folder.file("server.json", Self.trace)
    let link = try folder.file("link.json")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    for output in [path, folder.path + "/./server.json", link] {
      let result = FakeProgram().run("trace", path, "-o", output)
      #expect(result.code == .usage)
      #expect(result.error.contains("is the trace itself; name another file"))
    }
    let page = try folder.file("server.html", "mine")
    let result = FakeProgram().run("trace", path)
    #expect(result.code == .usage)
    #expect(result.error.contains("loopbench trace did not write it; name a file with -o"))
    #expect(try folder.text("server.html") == "mine")
    #expect(try folder.text("server.json") == Self.trace)
    #expect(FakeProgram().run("trace", path, "-o", page).code == .success)
    #expect(try folder.names == ["link.json", "server.html", "server.json"])
  }

  @Test("a file that cannot be drawn causes exit code 1 and one line, and writes nothing")
  func badFiles() throws {
    let folder = try Folder()
    let half = String(Self.trace.dropLast(9))
    let files = [
      "nosuch.json": nil, "half.json": half, "text.json": "hello", "empty.json": "",
      "none.json": "{\"traceEvents\":[]}", "other.json": "{\"schema\":\"loopbench/1\"}",
    ]
    for (name, text) in files {
      let path = try folder.file(name, text)
      for words in [["trace", path], ["trace", path, "-o", folder.path + "/x.html"]] {
        let result = FakeProgram().run(words)
        #expect(result.code == .failed)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("loopbench: \(path) "), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1)
      }
    }
    let directory = FakeProgram().run("trace", folder.path + "/.", "-o", folder.path + "/x.html")
    #expect(directory.code == .failed)
    #expect(directory.error.contains("cannot be read: "))
    #expect(try folder.names == files.keys.filter { $0 != "nosuch.json" }.sorted())
  }

  @Test("options that measure, a second operand and - without -o cause exit code 2")
  func usage() throws {
    let folder = try Folder()
    let path = try folder.file("server.json", Self.trace)
    let uses = [
      ["--for", "1s"]: "--for is for recording a trace; it does not apply to \"\(path)\"",
      ["-n", "5"]: "-n is for recording a trace", ["tiny"]: "trace takes no more arguments",
    ]
    for (words, expected) in uses {
      let result = FakeProgram().run(["trace", path] + words)
      #expect(result.code == .usage)
      #expect(result.error.contains(expected), "\(result.error)")
    }
    #expect(FakeProgram().run("trace", "-").error.contains("trace - needs -o FILE.html"))
    #expect(try folder.names == ["server.json"])
  }
}
