import LoopbenchKit
import LoopbenchTestSupport
import TestSupport
import Testing

// Arithmetic on one thread, which takes minutes under a sanitizer.
@Suite("Screen", .disabled(if: Interposed.isSanitized))
struct ScreenTests {
  @Test("the screen is the golden file", arguments: Machine.allCases)
  func golden(_ machine: Machine) throws {
    let measured = try machine.measured()
    for width in [80, 200] {
      let text = measured.screen(width: width).text()
      #expect(try text == Golden.expected(text, "screen-\(width)-\(machine).txt"))
    }
  }

  @Test("the screen fits into its terminal", arguments: Machine.allCases)
  func fits(_ machine: Machine) throws {
    let measured = try machine.measured()
    for width in [40, 50, 60, 80, 100, 119, 140] {
      check(measured.screen(width: width).text(), width)
    }
  }

  private func check(_ text: String, _ width: Int) {
    let lines = text.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= width }, "\(lines)")
    if width >= 80 { #expect(text.count { $0 == "\n" } <= 24, "\(lines)") }
    #expect(lines.contains { $0.contains("typical") && $0.contains("worst 1 %") })
    for question in Question.standard {
      #expect(lines.contains { $0.hasPrefix(question.text) || $0.hasPrefix(question.subject) })
    }
  }

  @Test("a terminal of 40 columns has the subject of each answer above its times")
  func stacked() throws {
    let lines = try Machine.quiet.screen(width: 40).split(separator: "\n").map(String.init)
    let timers = try #require(lines.firstIndex(of: "timers"))
    #expect(lines[timers + 1].hasPrefix("  68.6 us"))
    #expect(lines[timers + 1].hasSuffix("x sooner"))
    let full = try #require(lines.firstIndex(of: "loopbench run"))
    #expect(lines[full + 1].hasPrefix("  every scenario"))
  }

  @Test(
    "a long name of a CPU is shortened, then left out, and the number of CPUs stays",
    arguments: [
      (
        "Intel(R) Xeon(R) Gold 6 CPU @ 2.70GHz", 96, 80,
        "loopbench 0.1.0 · libuv 1.44.2 · 96 CPUs · KVM"
      ),
      (
        "Intel(R) Xeon(R) Gold 6 CPU @ 2.70GHz", 96, 96,
        "loopbench 0.1.0 · libuv 1.44.2 · Intel Xeon Gold 6 · 96 CPUs · KVM"
      ),
      (
        "AMD Ryzen 9 7950X 16-Core Processor", 32, 100,
        "loopbench 0.1.0 · libuv 1.44.2 · AMD Ryzen 9 7950X · 32 CPUs · KVM"
      ),
      ("Abacus", 1, 80, "loopbench 0.1.0 · libuv 1.44.2 · Abacus · 1 CPU · KVM"),
      ("", 1, 40, "loopbench 0.1.0"),
      ("", 1, 30, ""),
    ]
  )
  func title(cpu: String, cpus: Int, width: Int, title: String) throws {
    var machine = Fixture.machine
    (machine.cpu, machine.cpus) = (cpu, cpus)
    let report = try Machine.quiet.report(rounds: 1, on: machine)
    let text = MeasuredScreen(report: report).screen(width: width).text()
    let line = try #require(text.split(separator: "\n").first)
    let question = "How late is your loop?"
    #expect(
      line == (title.isEmpty ? question : question + title.padded(to: width - question.count))
    )
  }

  @Test("a pipe gets 80 columns")
  func pipe() throws {
    let measured = try Machine.quiet.measured()
    #expect(measured.screen().text() == measured.screen(width: 80).text())
  }

  @Test("the ASCII screen has the same words, and the colours repeat them")
  func styles() throws {
    let measured = try Machine.busy.measured()
    let plain = measured.screen(width: 80).text()
    let ascii = measured.screen(width: 80) { $0.isASCII = true }.text()
    #expect(ascii.utf8.allSatisfy { $0 < 128 })
    #expect(ascii.contains("###|") && plain.contains("███│"))
    #expect(ascii.count { $0 == "\n" } == plain.count { $0 == "\n" })
    let wide = measured.screen(width: 200) { $0.isASCII = true }.text()
    let lines = wide.split(separator: "\n").map(String.init)
    let header = try #require(lines.first { $0.contains("noise  samples  because") })
    let row = try #require(lines.first { $0.hasPrefix("A wake from another thread") })
    let (noise, floor) = (header.firstRange(of: "noise"), row.firstRange(of: " %  "))
    let ends = [
      noise.map { header.distance(from: header.startIndex, to: $0.upperBound) },
      floor.map { row.distance(from: row.startIndex, to: $0.lowerBound) + 2 },
    ]
    #expect(ends[0] != nil && ends[0] == ends[1], "\(header)\n\(row)")
    let colored = measured.screen(width: 80) { $0.usesColor = true }.text()
    #expect(colored.contains("\u{1B}[32msooner\u{1B}[0m"))
    #expect(colored.contains("\u{1B}[31mdearer\u{1B}[0m"))
    #expect(colored.replacing(/\u{1B}\[\d+m/, with: "") == plain)
  }

  @Test("a worse time is called later or dearer, in the row and in the finding")
  func worse() throws {
    let text = try Machine.quiet.screen(width: 80)
    #expect(text.contains("A duplicate commit costs") && text.contains("15x dearer"))
    #expect(text.contains("duplicate commits are dearer; "))
  }

  @Test("on a busy machine the top and each verdict say so")
  func busy() throws {
    let text = try Machine.busy.screen(width: 80)
    let second = text.split(separator: "\n")[1]
    #expect(second.hasPrefix("warning: other processes used 1.92 of 2 CPUs"))
    #expect(text.split(separator: "reliable").count == 2)
    #expect(text.contains("?: doubtful; see the warning above\n"))
    #expect(text.contains("sooner ?") && text.contains("dearer ?"))
    #expect(text.contains("Machine: busy. Other processes used 1.92 of 2 CPUs during 12 rounds."))
    #expect(text.contains("loopbench doctor"))
    #expect(try !Machine.quiet.screen(width: 80).contains("?\n"))
  }

  @Test("other processes that use a tenth of the CPUs are no warning, but not quiet either")
  func notQuiet() throws {
    var state = Machine.quiet.state
    state.others = 0.2
    let text = MeasuredScreen(report: try Machine.quiet.report(), state: state).screen().text()
    #expect(text.contains("Machine: not quiet. Other processes used 0.20 of 2 CPUs"))
    #expect(!text.contains("warning"))
  }

  @Test(
    "a certain difference of less than a factor of 1.05 is the same, in the tail too",
    arguments: [1.04, 1 / 1.04]
  )
  func small(factor: Double) throws {
    let registry = Registry.questions(noise: 0.004, factor: factor)
    let measured = try Machine.quiet.measured(registry)
    let report = measured.report
    #expect(
      report.comparisons.contains { $0.interval.low > 1.02 || $0.interval.high < 0.98 },
      "the numbers do not test anything"
    )
    // The tables have the same verdicts.
    #expect(report.comparisons.allSatisfy { ![.slower, .faster].contains($0.verdict) })
    let text = measured.screen(width: 200).text()
    for word in ["sooner", "later", "cheaper", "dearer", "but the worst"] {
      #expect(!text.contains(word), "\(text)")
    }
    #expect(text.contains("posts, duplicate commits and idle ticks are the same."))
    let notable = try Machine.quiet.report(factor: 1.09)
    let words = MeasuredScreen(report: notable).screen().text()
    #expect(words.contains("x later") && words.contains("x dearer"), "\(words)")
  }

  @Test("a verdict that the numbers do not explain has a reason")
  func reasons() throws {
    let oneRound = try Machine.quiet.measured(rounds: 1)
    for width in [80, 200] {
      let few = oneRound.screen(width: width).text()
      // All answers share the reason.
      #expect(few.split(separator: "unsure: only 1 round, 6 are needed\n").count == 2)
    }
    let reasons = [
      ("same", "same, within the noise floor of "),
      ("unsure", "x of libuv's time; libuv against itself differs by "),
    ]
    let lines = try Machine.busy.screen(width: 80).split(separator: "\n")
    for (word, reason) in reasons {
      let rows = lines.indices.filter { lines[$0].hasSuffix("  \(word) ?") }
      #expect(!rows.isEmpty, "\(word): \(lines)")
      for row in rows {
        let text = lines[row + 1]
        #expect(text.hasPrefix("    \(word)") && text.hasSuffix(" %"), "\(text)")
        #expect(text.contains(reason), "\(text)")
      }
    }
  }

  @Test("the worst 1 % of an answer is at least its typical time", arguments: [0.004, 0.2])
  func order(noise: Double) throws {
    // libuv's tail is longer than the answering peer's, as it is if libuv's tick was
    // interrupted.
    let registry = Registry.questions(noise: noise, tails: (lt: 1.1, uv: 9))
    for answer in try Machine.quiet.measured(registry).screen().answers {
      let typical = try #require(answer.typical)
      #expect(try #require(answer.worst) >= typical, "\(answer.question.path)")
    }
  }

  @Test("a worse tail is named in each row, even if no round has 100 samples")
  func tails() throws {
    let registry = Registry.questions(
      noise: 0.004,
      factor: 1,
      tails: (lt: 5, uv: 1),
      samples: 36
    )
    let measured = try Machine.quiet.measured(registry)
    let tails = measured.tails
    #expect(tails.count == 6 && tails.allSatisfy { $0.verdict == .slower })
    for width in [60, 80, 200] {
      let text = measured.screen(width: width).text()
      let joined = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(joined.split(separator: "but the worst 1 % is 5.0x later").count == 4, "\(text)")
      #expect(joined.split(separator: "but the worst 1 % is 5.0x dearer").count == 4, "\(text)")
    }
    // A few samples in all have no p99.
    #expect(try Machine.quiet.measured(registry, rounds: 2).tails == [])
  }

  @Test("a screen of 50 columns keeps the reasons, because it has more than 24 lines anyway")
  func narrow() throws {
    let text = try Machine.busy.screen(width: 50)
    #expect(text.count { $0 == "\n" } > 24)
    #expect(text.contains("same, within the noise floor of "), "\(text)")
  }

  @Test("a series that this machine cannot measure has empty cells, and the finding says so")
  func unmeasured() throws {
    let registry = Registry.questions(noise: 0.004, across: .across)
    let text = try Machine.quiet.measured(registry, cpus: 1).screen(width: 200).text()
    let row = text.split(separator: "\n").first { $0.hasPrefix("A wake from another") }
    let cells = try #require(row).split(whereSeparator: \.isWhitespace)
    #expect(cells.dropFirst(6).joined(separator: " ") == "│ not measured", "\(text)")
    #expect(!text.contains("too few samples"))
    #expect(text.contains("ticks are the same. Wakes were not measured."), "\(text)")
  }

  @Test("a question without results is not measured")
  func missing() throws {
    let measured = MeasuredScreen(report: try Fixture().report(), state: MachineState())
    let text = measured.screen().text()
    #expect(text.contains("not measured"))
    #expect(text.contains("Nothing was compared with libuv."))
  }
}
