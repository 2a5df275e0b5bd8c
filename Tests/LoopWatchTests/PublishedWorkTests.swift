import Foundation
import LoopTransactions
import LoopWatch
import TestSupport
import Testing

@Suite("Published work")
struct PublishedWorkTests {
  /// Decodes a word whose text is at the address 100.
  private func work(_ kind: UInt64, line: UInt64 = 0, _ text: [UInt8] = []) -> PublishedWork? {
    PublishedWork(word: kind << 60 | line << 48 | 100) { address, limit in
      address == 100 ? Array(text.prefix(limit)) : []
    }
  }

  @Test("a word has a kind, a name or a file, and a line")
  func word() {
    let name = Array("App/main.swift\0behind".utf8)
    #expect(work(3, line: 40, name) == PublishedWork(.timer, "App/main.swift:40"))
    #expect(work(8, name) == PublishedWork(.transaction, "App/main.swift"))
    #expect(work(11, line: 4095, name) == PublishedWork(.operation, "App/main.swift:4095"))
    #expect(work(0, name) == nil && work(12, name) == nil && work(15, name) == nil)
  }

  @Test("a word without a text that can be read has no name, and no line")
  func noName() {
    #expect(work(2, line: 40) == PublishedWork(.post))
    let word = PublishedWork(word: 2 << 60) { _, _ in Array("at 0".utf8) }
    #expect(word == PublishedWork(.post))
  }

  @Test("a name is cut after 256 bytes, and bytes that are no text are replaced")
  func badName() {
    let long = [UInt8](repeating: UInt8(ascii: "a"), count: 300)
    #expect(work(8, long)?.name == String(repeating: "a", count: 256))
    #expect(work(8, [0x61, 0xff, 0x62])?.name == "a\u{fffd}b")
  }

  @Test(
    "a piece of work is shown with its kind and the end of its place, or with its name",
    arguments: [
      (PublishedWork(.timer, "App/main.swift:40"), "timer main.swift:40"),
      (PublishedWork(.observer, "App/main.swift:40"), "observer main.swift:40"),
      (PublishedWork(.post), "post"),
      (PublishedWork(.transaction, "Label.layout"), "transaction Label.layout"),
      (PublishedWork(.completion, "GET /index"), "completion GET /index"),
      (PublishedWork(.job), "job"),
      (PublishedWork(.other, "main queue or run loop"), "main queue or run loop"),
      (PublishedWork(.other), nil),
    ]
  )
  func shown(work: PublishedWork, text: String?) { #expect(work.frame?.description == text) }

  private let loop = StackFrame("LoopTransactions.EventLoop.run", role: .loop)
  private let timers = StackFrame("uv__run_timers", role: .loop)
  private let runtime = StackFrame("swift_job_run", role: .library)
  private let main = StackFrame("main", role: .program)
  private let timer = PublishedWork(.timer, "App/main.swift:40")

  private func own(_ name: String, isNamed: Bool = true) -> StackFrame {
    StackFrame(name, role: .program, isNamed: isNamed)
  }

  private func text(_ stack: [StackFrame], _ work: PublishedWork?) -> String {
    stack.running(work).map(\.description).joined(separator: " < ")
  }

  @Test("a piece of work is the outermost function that the loop called")
  func outermost() {
    let stack = [own("hash"), runtime, timers, loop, main]
    let end = "swift_job_run < uv__run_timers < LoopTransactions.EventLoop.run < main"
    #expect(text(stack, timer) == "hash < timer main.swift:40 < " + end)
    #expect(Culprit(of: [stack.running(timer)])?.description == "hash < timer main.swift:40")
    #expect(stack.running(nil) == stack && stack.running(PublishedWork(.other)) == stack)
  }

  @Test("a loop that is nested in a piece of work is part of it")
  func nestedLoop() {
    let stack = [timers, own("spawn"), timers, loop, main].running(timer)
    #expect(Culprit(of: [stack])?.description == "spawn < timer main.swift:40")
  }

  @Test("a piece of work alone is blamed if no function of the program is known")
  func onlyWork() {
    let stripped = [own("server", isNamed: false), runtime, timers, loop]
    let stacks = [stripped, [timers, loop], [loop], [own("server", isNamed: false)], []]
    for stack in stacks {
      let culprit = Culprit(of: [stack.running(timer)])
      #expect(culprit?.description == "timer main.swift:40", "\(stack)")
    }
  }

  @Test("the culprit of a hold with several pieces of work is the most frequent piece")
  func pieces() {
    let post = PublishedWork(.post, "App/main.swift:7")
    let stack = [own("hash"), loop]
    let stacks = [stack.running(post), stack.running(timer), stack.running(post)]
    #expect(Culprit(of: stacks)?.description == "hash < post main.swift:7")
  }
}

@Suite("WorkReader")
struct WorkReaderTests {
  /// A slot as `Sources/CUV/work_slot.h` defines it.
  private func slot(_ thread: Int32, hold: UInt64 = 1, work: UInt64, began: UInt64 = 1) -> [UInt8] {
    let words = [UInt64(thread) | 1 << 32, work, began, 0, hold, 0, 0, 0]
    return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } }
  }

  /// The memory and the mappings of a process, which a test changes.
  private final class FakeProcess {
    var maps = "7f00-8f00 rw-p 00000000 00:01 77   /memfd:looptransactions-1 (deleted)\n"
    var table: [UInt8] = []
    var now: UInt64 = 0
    var mapsRead = 0

    lazy var reader = WorkReader(
      maps: { [unowned self] in
        mapsRead += 1
        return Array(maps.utf8)
      },
      memory: { [unowned self] address, limit in
        switch address {
        case 0x7f00: Array(table.prefix(limit))
        case 100: Array("Label.layout\0".utf8)
        default: []
        }
      },
      now: { [unowned self] in now }
    )

    func name(of thread: Int32, during body: () -> Void = {}) -> String? {
      reader.work(of: thread, during: body).work?.frame?.description
    }
  }

  private let layout: UInt64 = 8 << 60 | 100

  @Test("a thread that runs a piece of work has its name, and other threads have none")
  func name() {
    let process = FakeProcess()
    process.table = slot(4, work: 0) + slot(5, work: layout) + slot(6, work: 8 << 60 | 200)
    #expect(process.name(of: 5) == "transaction Label.layout")
    #expect(process.name(of: 4) == nil && process.name(of: 7) == nil)
    #expect(process.name(of: 6) == "transaction")
  }

  @Test("a thread with several loops runs the work that began last")
  func severalLoops() {
    let process = FakeProcess()
    let (old, new) = (slot(5, work: 2 << 60, began: 3), slot(5, work: layout, began: 4))
    process.table = old + new
    #expect(process.name(of: 5) == "transaction Label.layout")
    process.table = new + old
    #expect(process.name(of: 5) == "transaction Label.layout")
  }

  @Test("work that changes during a capture, or whose tick ends, has no name")
  func changed() {
    let process = FakeProcess()
    let table = slot(5, hold: 7, work: layout)
    for next in [slot(5, hold: 8, work: layout), slot(5, hold: 7, work: 2 << 60), []] {
      process.table = table
      #expect(process.name(of: 5) { process.table = next } == nil)
    }
    process.table = table
    #expect(process.name(of: 5) { process.table = slot(5, hold: 7, work: layout, began: 9) } != nil)
  }

  @Test("a table that is cut off is read up to its last whole slot")
  func cutTable() {
    let process = FakeProcess()
    process.table = slot(4, work: layout) + slot(5, work: layout).dropLast()
    #expect(process.name(of: 4) != nil && process.name(of: 5) == nil)
  }

  @Test("mappings are read again after a second if a thread has no work")
  func newTable() {
    let process = FakeProcess()
    let maps = process.maps
    process.maps = ""
    process.table = slot(5, work: layout)
    #expect(process.name(of: 5) == nil && process.mapsRead == 1)
    process.maps = maps
    process.now = 999_999_999
    #expect(process.name(of: 5) == nil && process.mapsRead == 1)
    process.now = 1_000_000_000
    #expect(process.name(of: 5) != nil && process.mapsRead == 2)
    process.now = 5_000_000_000
    #expect(process.name(of: 5) != nil && process.mapsRead == 2)
  }

  @Test("the tables of this layout are found among the mappings")
  func tables() {
    let text = """
      55d0c0000000-55d0c0001000 r--p 00000000 fe:00 12   /srv/memfd:looptransactions-1
      7f1c2a400000-7f1c2a404000 rw-p 00000000 00:01 77   /memfd:looptransactions-1 (deleted)
      7f1c2a500000-7f1c2a504000 rw-p 00000000 00:01 78   /memfd:loopbench-waits (deleted)
      7f1c2a600000-7f1c2a604000 rw-p 00000000 00:01 79   /memfd:looptransactions-1 (deleted)
      nonsense (deleted)
      """
    let tables = WorkTables(maps: text.utf8)
    #expect(tables.addresses == [0x7f1c_2a40_0000, 0x7f1c_2a60_0000])
    #expect(tables.otherLayout == nil)
  }

  @Test(
    "a table of another layout is not read, and the problem names both layouts",
    arguments: [("-2", "2"), ("-12", "12"), ("", "0"), ("-", "0")]
  )
  func otherLayout(suffix: String, layout: String) {
    let process = FakeProcess()
    process.maps = "7f00-8f00 rw-p 00000000 00:01 77   /memfd:looptransactions\(suffix) (deleted)\n"
    process.table = slot(5, work: self.layout)
    #expect(process.name(of: 5) == nil)
    let problem = process.reader.problem(in: [])
    #expect(problem?.contains("in layout \(layout), and this watch reads layout 1") == true)
  }

  @Test("the problem of a loop that does not publish its work says how to start the program")
  func notPublished() {
    let process = FakeProcess()
    let loop = StackFrame("LoopTransactions.EventLoop.run", role: .loop)
    process.table = slot(5, work: layout)
    _ = process.name(of: 5)
    #expect(process.reader.problem(in: [loop]) == nil)
    let other = FakeProcess()
    other.maps = ""
    _ = other.name(of: 5)
    #expect(other.reader.problem(in: [StackFrame("uv_run", role: .loop)]) == nil)
    let problem = other.reader.problem(in: [loop])
    #expect(problem?.contains("LOOPTRANSACTIONS_PUBLISHES_WORK=1") == true)
  }
}

/// The program `work-plants` holds its loop once with each kind of work.
@Suite("Programs that publish their work")
struct PublishingProgramTests {
  /// A name that `work-plants` prints, and the one that another process reads meanwhile.
  private struct Names {
    let printed: String
    let read: String?
  }

  private func read(_ environment: [String: String?]) throws -> [Names] {
    let program = TestProgram(TestProgram.built("work-plants"), environment: environment)
    try program.start()
    defer { program.terminate() }
    let process = program.process.processIdentifier
    let reader = WorkReader(process: process)
    var names: [Names] = []
    while let name = program.nextLine() {
      let work = reader.work(of: process) {}.work
      names.append(Names(printed: name, read: work?.frame?.description))
      try program.send([""])
    }
    return names
  }

  @Test("a process that the variable asks publishes each kind of work on its loop")
  func published() throws {
    let names = try read([WorkReader.variable: "1"])
    #expect(names.count == 9 && names.allSatisfy { $0.read == $0.printed }, "\(names)")
  }

  @Test("a process publishes nothing without the variable")
  func silent() throws {
    let names = try read([WorkReader.variable: nil])
    #expect(names.count == 9 && names.allSatisfy { $0.read == nil }, "\(names)")
  }

  @Test(
    "a watch without libdw names the work of the holds, computing and blocked",
    .enabled(if: !Interposed.isSanitized, "a program cannot preload a sanitizer")
  )
  func watched() throws {
    let file = "/tmp/watch-work-\(UUID())"
    defer { for end in ["truth", "stacks"] { unlink("\(file).\(end)") } }
    let output = try withoutLibdw { environment in
      try watch(
        ["--folded", file + ".stacks"],
        [TestProgram.built("work-plants"), "2", "300"],
        environment: environment.merging(["TRUTH": file + ".truth"]) { $1 }
      )
    }
    #expect(output.code == 0)
    #expect(output.errors.contains("sleep in "), "\(output.errors)")
    let stacks = try String(contentsOfFile: file + ".stacks", encoding: .utf8)
    let truth = try String(contentsOfFile: file + ".truth", encoding: .utf8)
    // A line `hold` has 9 fields, and a line `tick` has 2.
    let lines = truth.split(separator: "\n").map { $0.split(separator: "\t") }
    let names = Set(lines.filter { $0.count == 9 }.map { $0[7] })
    #expect(names.count == 9)
    for name in names { #expect(stacks.contains(";\(name) "), "\(stacks)") }
  }
}
