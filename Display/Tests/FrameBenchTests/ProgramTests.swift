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
    #expect(ran.code == 0 && ran.text.hasPrefix("A4: "), "\(ran.text)")
    #expect(try TestProgram.run(feed, ["--variant", "S9"]).code == 2)
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
