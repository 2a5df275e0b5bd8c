import CardFeed
import Foundation
import FrameBench
import Testing

// The tests run serially, because a child process inherits every open pipe.
@Suite("Programs", .serialized)
struct ProgramTests {
  @Test("loopbench finds loopbench-frames in its own folder, which runs and reports figures")
  func frames() throws {
    let loopbench = TestProgram.built("loopbench")
    let list = try TestProgram.run(loopbench, ["frames", "list"])
    #expect(list.code == 0)
    for name in ["tutorial", "fourfold", "S0", "A4"] { #expect(list.text.contains(name)) }
    // Both help texts are of the program itself, which lists its command and its peers.
    let help = try TestProgram.run(loopbench, ["frames", "--help"])
    #expect(help.text.contains("Usage: loopbench-frames [COMMAND]"))
    #expect(help.text.contains("  film  ") && help.text.contains("  S0  on the loop"))
    let short = try TestProgram.run(loopbench, ["frames", "-d", "7s"])
    #expect(short.code == 2 && short.errors.contains("-d must be at least 8s"), "\(short.errors)")
    let misuse = try TestProgram.run(loopbench, ["frames", "film", "--load", "0"])
    #expect(misuse.code == 2)
    // A missing output folder is a failure of the machine, not a usage error.
    let film = ["frames", "film", "-p", "A4", "--frames", "1", "-o", "/nowhere/film.svg"]
    let unwritten = try TestProgram.run(
      loopbench,
      film,
      environment: ["LOOPBENCH_FRAMES_SCALE": "0.1"]
    )
    #expect(unwritten.code == 1)
    // The cards are small, because only the presence of the figures is checked.
    let arguments = ["frames", "-p", "A4", "--series", "invalidate", "--rounds", "1", "-f", "json"]
    let json = try TestProgram.run(
      loopbench,
      arguments,
      environment: ["LOOPBENCH_FRAMES_SCALE": "0.1"]
    )
    #expect(json.code == 0)
    for key in ["loopbench/1", "dropped", "frames", "stallP99", "blankRatio", "stale", "pictures"] {
      #expect(json.text.contains("\"\(key)\""), "\(key)")
    }
    // With too few cancellations there is no p99, but the number of
    // cancellations is reported.
    let value = try JSONSerialization.jsonObject(with: Data(json.text.utf8))
    let results = try #require((value as? [String: Any])?["results"] as? [[String: Any]])
    let result = try #require(results.first { $0["series"] as? String == "invalidate" })
    let count = try #require(result["cancels"] as? Double)
    #expect((result["cancelP99"] != nil) == (count >= 100), "\(count)")
    #expect((result["cancelMax"] != nil) == (count > 0), "\(count)")
    #if os(Linux)
      #expect((result["stopP99"] != nil) == (count >= 100), "\(count)")
      #expect((result["stopMax"] != nil) == (count > 0), "\(count)")
    #endif
    #expect(result["stallP99"] != nil && result["stallMax"] != nil)
  }

  @Test("with --headless the feed scrolls and prints a report")
  func headless() throws {
    let feed = TestProgram.built("cardfeed")
    let ran = try TestProgram.run(feed, ["--headless", "--scale", "0.1", "--frames", "90"])
    // Lines about late frames may come before it.
    #expect(ran.code == 0 && ran.lines.contains { $0.hasPrefix("A4: ") }, "\(ran.text)")
  }

  @Test("an unknown variant is a usage error whose message lists the variants")
  func variants() throws {
    let ended = try TestProgram.run(TestProgram.built("cardfeed"), ["--variant", "Z9"])
    let names = FeedVariant.all.map(\.name).joined(separator: ", ")
    #expect(names.hasPrefix("S0, ") && names.hasSuffix(", A4"))
    #expect(ended.code == 2 && ended.lines.isEmpty)
    let message = "there is no variant \"Z9\"; choose from \(names)"
    #expect(ended.errors.contains(message), "\(ended.errors)")
  }

  @Test("-d 12s and -f json change nothing else of the plan, which has three turns per round")
  func plan() throws {
    let program = TestProgram.built("loopbench-frames")
    func plan(_ options: String...) throws -> String {
      let ended = try TestProgram.run(program, ["--dry-run", "--seed", "7"] + options)
      #expect(ended.code == 0, "\(ended.errors)")
      return ended.text
    }
    let standard = try plan()
    #expect(standard.contains("3 turns per round, about 19 s, but 10 to 30 rounds"))
    #expect(try plan("-f", "json") == standard)
    let limited = try plan("-d", "12s")
    #expect(limited.contains("3 turns per round, 30 rounds, but at most about 12.0s"))
    let rest = { (text: String) in text.split(separator: "\n").dropFirst().joined() }
    #expect(rest(limited) == rest(standard), "\(limited)")
  }

  @Test("a late frame is printed with its cause")  // X6
  func lateFrame() throws {
    // Several cards are drawn on the loop in one frame, which takes longer than a frame lasts.
    let options = ["--headless", "--variant", "S0", "--scale", "0.5", "--frames", "3"]
    let ran = try TestProgram.run(TestProgram.built("cardfeed"), options)
    #expect(ran.code == 0, "\(ran.errors)")
    let late = ran.lines.filter { $0.hasPrefix("frame ") }
    #expect(!late.isEmpty, "\(ran.text)")
    for line in late {
      let isReport = try /frame \d+ was [\d.]+ m?s late: .+/.prefixMatch(in: line) != nil
      #expect(isReport, "\(line)")
    }
  }

  @Test("with --trace the feed writes its frames, drawings and bitmaps in flight")  // X3, D18
  func trace() throws {
    let path = "/tmp/cardfeed-\(getpid()).json"
    defer { unlink(path) }
    let options = ["--headless", "--scale", "0.1", "--frames", "60", "--trace", path]
    let ran = try TestProgram.run(TestProgram.built("cardfeed"), options)
    #expect(ran.code == 0, "\(ran.errors)")
    try checkTrace(path)
    // loopbench draws it.
    let drawn = try TestProgram.run(
      TestProgram.built("loopbench"),
      ["trace", path, "-o", path + ".html"]
    )
    defer { unlink(path + ".html") }
    #expect(drawn.code == 0, "\(drawn.errors)")
    let unwritten = ["--headless", "--scale", "0.1", "--frames", "1", "--trace", "/nowhere/t.json"]
    let refused = try TestProgram.run(TestProgram.built("cardfeed"), unwritten)
    #expect(refused.code == 1 && refused.errors.contains("cannot write '/nowhere/t.json'"))
  }

  @Test("a number of frames, a scale or a size that shows nothing is a usage error")
  func misuse() throws {
    let feed = TestProgram.built("cardfeed")
    let misuses = [
      ("--frames", "0"), ("--frames", "-1"), ("--frames", "x"), ("--scale", "0"), ("--size", "0x9"),
    ]
    for (option, value) in misuses {
      let ended = try TestProgram.run(feed, ["--headless", option, value])
      #expect(ended.code == 2 && ended.errors.contains("\(option) must be"), "\(ended)")
      #expect(ended.errors.contains("got \"\(value)\""))
    }
  }

  @Test("without a display the feed says so and ends")
  func noDisplay() throws {
    let feed = TestProgram.built("cardfeed")
    #if os(Linux)
      let names = ["DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"]
      let none = Dictionary(uniqueKeysWithValues: names.map { ($0, String?.none) })
      let ended = try TestProgram.run(feed, ["--scale", "0.1"], environment: none)
      #expect(ended.code == 1 && ended.errors.contains("there is no display"), "\(ended.errors)")
      for (name, value) in [("DISPLAY", ":7999"), ("WAYLAND_DISPLAY", "nowhere")] {
        var dead: [String: String?] = none
        dead[name] = value
        let ended = try TestProgram.run(feed, ["--scale", "0.1"], environment: dead)
        #expect(ended.code == 1, "\(name): \(ended.errors)")
        #expect(ended.errors.contains("the display \(value) does not answer"))
      }
    #endif
    let blind = ["DISPLAY": "", "SDL_VIDEODRIVER": "x11"]
    #expect(try TestProgram.run(feed, ["--scale", "0.1"], environment: blind).code == 1)
  }
}

/// Checks the trace of a feed that has drawn at least one card on a worker.
func checkTrace(_ path: String) throws {
  let file = try TraceFile(String(contentsOfFile: path, encoding: .utf8))
  #expect(file.fault == nil)
  #expect(file.marks.contains { $0.hasPrefix("frame ") })
  // The feed's layers belong to cards.
  #expect(file.names("operation").contains("Card"), "\(Set(file.names("operation")))")
  let shown = file.arrows.filter { $0.category == "add" && $0.spans.contains("Card") }
  #expect(shown.contains { $0.spans.count == 3 }, "no arrow from a request to a completion")
  let requests = file.arrows.filter { $0.category == "request" }
  #expect(requests.contains { $0.spans.last?.contains("AsyncDisplay/") == true })
  let bitmaps = file.counters.filter { $0.name == "bitmaps in flight" }
    .compactMap { $0.args?.value }
  #expect(bitmaps.contains { $0 > 0 } && bitmaps.allSatisfy { $0 >= 0 })
  #expect(file.counters.contains { $0.name == "bytes of bitmaps in flight" })
}
