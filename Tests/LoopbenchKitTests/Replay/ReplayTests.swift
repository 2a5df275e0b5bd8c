import LoopTransactionsTesting
import LoopbenchKit
import Testing

@Suite("ReplayParser")
struct ReplayParserTests {
  private func fault(_ lines: String...) -> String? {
    do {
      _ = try Replay.parse(lines.joined(separator: "\n"))
      return nil
    } catch {
      return "\(error)"
    }
  }

  @Test("a load may contain comments, tabs, CRLF and empty lines")
  func reads() throws {
    let text = """
      loopreplay 1\r
      # two threads, two actions

      0 0 document layout 250
      1000\t1\tview.3 draw 0
      1000 1 document layout 10

      """
    let replay = try Replay.parse(text)
    #expect(replay.entries.map(\.time) == [0, 1000, 1000])
    #expect(replay.entries.map(\.action) == [0, 1, 0])
    #expect(replay.producers == [0, 1])
    #expect(replay.actions.map(\.selector) == ["layout", "draw"])
    #expect(replay.duration == 1000)
    #expect(replay.cost == 260)
  }

  @Test("an error names the line and the expected text")
  func faults() {
    #expect(fault("") == "line 1: expected \"loopreplay 1\"")
    #expect(fault("loopreplay 2", "0 0 a b 1") == "line 1: expected \"loopreplay 1\"")
    #expect(fault("loopreplay 1")?.hasPrefix("it contains no commit") == true)
    #expect(fault("loopreplay 1", "0 0 a b")?.hasPrefix("line 2: expected 5 fields") == true)
    #expect(
      fault("loopreplay 1", "0 0 a b -1")
        == "line 2: the cost must be a whole number from 0 to 1000000, got \"-1\""
    )
    #expect(
      fault("loopreplay 1", "5 0 a b 1", "4 0 a b 1")
        == "line 3: times must not decrease: 4 follows 5"
    )
    #expect(fault("loopreplay 1", "0 16 a b 1")?.contains("from 0 to 15") == true)
    #expect(fault("loopreplay 1", "0 0 a/b c 1")?.contains("got \"a/b\"") == true)
    let long = String(repeating: "x", count: 300)
    #expect(fault("loopreplay 1", "0 0 \(long) b 1") == "line 2: the line is longer than 256 bytes")
  }

  @Test("random bytes are either refused or parsed into a valid load", arguments: UInt64(1)...8)
  func noise(seed: UInt64) {
    var generator = SeededGenerator(seed: seed, stream: 0)
    let alphabet = Array("loopreplay 1\n0 12#\tab\r\u{FF}\u{0}-.9".utf8)
    for _ in 0..<500 {
      var bytes = generator.next() % 2 == 0 ? Array("loopreplay 1\n".utf8) : []
      for _ in 0..<Int(generator.next() % 60) {
        bytes.append(alphabet[Int(generator.next() % UInt64(alphabet.count))])
      }
      let text = String(decoding: bytes, as: UTF8.self)
      if let replay = try? Replay.parse(text) {
        #expect(!replay.entries.isEmpty && text.hasPrefix("loopreplay 1"))
        #expect(replay.entries.allSatisfy { replay.actions.indices.contains($0.action) })
      }
    }
  }

  @Test("each load in Replays is valid and short, and states how it was generated")
  func shipped() throws {
    for (name, producers) in [("editing", [0, 1, 2]), ("chat", [1, 2, 3, 4])] {
      let text = try Shipped.text("Replays/\(name).load")
      let replay = try Replay.parse(text)
      #expect(replay.producers == producers)
      #expect((2_000_000...5_000_000).contains(replay.duration), "\(name)")
      #expect(text.utf8.count < 300_000)
      #expect(text.contains("# Generated, not recorded") && text.contains("seed"))
      // Even if each commit is performed separately, the loop is not overloaded.
      #expect(replay.cost < replay.duration, "\(name)")
    }
  }
}
