package import LoopTransactions

/// The piece of work that a loop of LoopTransactions runs in another process.
///
/// The table of `Sources/CUV/work_slot.h` has it. The program can write anything there.
package struct PublishedWork: Equatable, Sendable {
  package let kind: Work.Kind
  /// The name, or the place in the source. Empty if it is not known.
  package let name: String

  package init(_ kind: Work.Kind, _ name: String = "") { (self.kind, self.name) = (kind, name) }

  // A longer name is cut.
  private static let mostBytes = 256

  /// Decodes an `OwnerWord`. Nil if its kind is not known.
  ///
  /// - Parameter read: Returns bytes of the process from an address on, at most the given
  ///   number of them, and none if there is no memory.
  package init?(word: UInt64, read: (_ address: UInt64, _ limit: Int) -> [UInt8]) {
    guard let kind = Work.Kind(rawValue: UInt8(word >> 60)) else { return nil }
    let (line, address) = (word >> 48 & 0xfff, word & 0xffff_ffff_ffff)
    let bytes = address == 0 ? [] : read(address, Self.mostBytes).prefix { $0 != 0 }
    let text = String(decoding: bytes, as: UTF8.self)
    self.init(kind, line == 0 || text.isEmpty ? text : "\(text):\(line)")
  }

  /// The work as the function that the loop called: `timer main.swift:40`. Nil for code that
  /// is not known to the program's LoopTransactions.
  package var frame: StackFrame? {
    switch kind {
    case .other: name.isEmpty ? nil : StackFrame(name, role: .program)
    case .post, .timer, .event, .observer, .element, .idleBlock:
      // Of `Module/main.swift:40`. Other kinds have names, which may contain a slash.
      StackFrame("\(kind)", place: name.split(separator: "/").last.map(String.init), role: .program)
    case .job, .transaction, .completion, .operation:
      StackFrame(name.isEmpty ? "\(kind)" : "\(kind) \(name)", role: .program)
    }
  }
}

extension [StackFrame] {
  /// The stack with `work` as the outermost function that the loop called. Functions whose
  /// names were stripped are left out if the program has no others.
  package func running(_ work: PublishedWork?) -> [StackFrame] {
    guard let frame = work?.frame else { return self }
    let loop = lastIndex { $0.role == .loop } ?? endIndex
    let outermost = self[..<loop].lastIndex { $0.role == .program }
    let end = outermost.map { $0 + 1 } ?? firstIndex { $0.role == .loop } ?? endIndex
    let called = Array(self[..<end])
    let inner = FrameRoles.hasNames(called) ? called : called.filter { $0.role != .program }
    return inner + [frame] + self[end...]
  }
}

/// The slot of a thread at one moment.
private struct WorkSlot: Equatable {
  /// The number of ticks begun.
  let hold: UInt64
  /// An `OwnerWord`.
  let work: UInt64

  static let size = 64
  /// The size of a table.
  static let tableSize = 256 * size

  private init(hold: UInt64, work: UInt64) { (self.hold, self.work) = (hold, work) }

  /// Finds the slot of a thread that runs work. A thread with several loops has several
  /// slots, and runs the work that began last.
  init?(of thread: Int32, inTable bytes: [UInt8]) {
    var found: (began: UInt64, slot: WorkSlot)?
    bytes.withUnsafeBytes { bytes in
      func value<Value: FixedWidthInteger & BitwiseCopyable>(at offset: Int) -> Value {
        bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
      }
      for slot in stride(from: 0, through: bytes.count - Self.size, by: Self.size) {
        let (work, began): (UInt64, UInt64) = (value(at: slot + 8), value(at: slot + 16))
        guard value(at: slot) == thread, work != 0, began >= found?.began ?? 0 else { continue }
        found = (began, WorkSlot(hold: value(at: slot + 32), work: work))
      }
    }
    guard let found else { return nil }
    self = found.slot
  }
}

/// Reads the work that the loops of a process publish.
///
/// Call from one thread.
package final class WorkReader {
  /// The variable that makes the loops of a program publish their work.
  package static let variable = "LOOPTRANSACTIONS_PUBLISHES_WORK"

  private let maps: () -> [UInt8]
  private let memory: (_ address: UInt64, _ limit: Int) -> [UInt8]
  private let now: () -> UInt64
  private var tables = WorkTables()
  private var lookedAt: UInt64?

  /// - Parameters:
  ///   - maps: Returns the list of the process's mappings.
  ///   - memory: Returns bytes of the process from an address on, and none if there is no
  ///     memory.
  ///   - now: Returns the time, in ns.
  package init(
    maps: @escaping () -> [UInt8],
    memory: @escaping (_ address: UInt64, _ limit: Int) -> [UInt8],
    now: @escaping () -> UInt64
  ) {
    (self.maps, self.memory, self.now) = (maps, memory, now)
  }

  /// Calls `body`. Returns its result, and the work that the thread ran meanwhile; nil if it
  /// ran more than one piece, or if none is published.
  package func work<Result>(
    of thread: Int32,
    during body: () -> Result
  ) -> (result: Result, work: PublishedWork?) {
    let before = slot(of: thread)
    let result = body()
    guard let before, slot(of: thread) == before else { return (result, nil) }
    return (result, PublishedWork(word: before.work, read: memory))
  }

  private func slot(of thread: Int32) -> WorkSlot? {
    if let slot = readSlot(of: thread) { return slot }
    // A program maps the table when it creates its first loop, and may call exec.
    if let lookedAt, now() - lookedAt < 1_000_000_000 { return nil }
    lookedAt = now()
    tables = WorkTables(maps: maps())
    return readSlot(of: thread)
  }

  private func readSlot(of thread: Int32) -> WorkSlot? {
    for address in tables.addresses {
      if let slot = WorkSlot(of: thread, inTable: memory(address, WorkSlot.tableSize)) {
        return slot
      }
    }
    return nil
  }

  /// Why the work in a captured stack has no name, and what to do. Nil if the program has no
  /// loop of LoopTransactions, or if its work is published.
  package func problem(in stack: [StackFrame]) -> String? {
    guard tables.addresses.isEmpty else { return nil }
    if let layout = tables.otherLayout {
      return "the program publishes its work in layout \(layout), and this watch reads layout "
        + "\(WorkTables.layout): build both from one version of LoopTransactions"
    }
    guard stack.contains(where: { $0.function.hasPrefix("LoopTransactions.") }) else { return nil }
    return "the program does not publish the names of its timers, posts and transactions: start "
      + "it with \(Self.variable)=1, and build it with this version of LoopTransactions"
  }
}

/// The tables of published work among the mappings of a process. A process with two copies of
/// LoopTransactions has two.
package struct WorkTables: Equatable, Sendable {
  /// The layout that `WorkSlot` reads: the number in `LT_WORK_SLOTS_NAME`.
  package static let layout = "1"

  package private(set) var addresses: [UInt64] = []
  /// The layout of a table that cannot be read; empty if it has no number.
  package private(set) var otherLayout: String?

  package init() {}

  /// Finds the tables in the text of `/proc/PID/maps`.
  package init(maps: some Sequence<UInt8>) {
    for line in Array(maps).split(separator: UInt8(ascii: "\n")) {
      // Most lines end with the name of a file that exists.
      guard line.last == UInt8(ascii: ")") else { continue }
      add(String(decoding: line, as: UTF8.self))
    }
  }

  /// Adds the table of the line
  /// `7f1c2a400000-7f1c2a404000 rw-p 00000000 00:01 77 /memfd:looptransactions-1 (deleted)`.
  private mutating func add(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count == 7, words[5].hasPrefix("/memfd:looptransactions") else { return }
    let layout = words[5].split(separator: "-", maxSplits: 1).dropFirst().first ?? "0"
    guard layout == Self.layout else { return otherLayout = String(layout) }
    guard let address = UInt64(line.prefix { $0 != "-" }, radix: 16) else { return }
    addresses.append(address)
  }
}
