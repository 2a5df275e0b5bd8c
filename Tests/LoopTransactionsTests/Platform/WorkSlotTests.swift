import TestSupport
import Testing

@testable import LoopTransactions

#if canImport(Glibc)
  import Glibc
#endif

// X2
@Suite("The published work of a thread")
struct WorkSlotTests {
  @Test("a signal handler reads the work that it interrupts")
  func signalHandler() async {
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      loop.tickHandler = { _ in }
      let word = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
      defer { word.deallocate() }
      word.initialize(to: 0)
      Process.handlingSignals({ word.pointee = WorkSlot.ofThisThread?.work ?? 1 }) {
        loop.post(fileID: "App/Main.swift", line: 12) { Process.raiseSignal() }
        loop.run(.noWait)
      }
      let work = Work(OwnerWord(rawValue: word.pointee))
      #expect("\(work)" == "post App/Main.swift:12")
      try loop.close()
    }
  }

  @Test("a loop publishes its work if the environment asks, until it is closed")
  func environment() async {
    await #expect(processExitsWith: .success) {
      setenv("LOOPTRANSACTIONS_PUBLISHES_WORK", "1", 1)
      let loop = try EventLoop()
      #expect(WorkSlot.isWanted, "workers publish, too")
      // Settings of the loop do not end it.
      loop.tickHandler = { _ in }
      loop.tickHandler = nil
      nonisolated(unsafe) var work = ""
      loop.post(fileID: "App/Main.swift", line: 12) {
        work = "\(Work(OwnerWord(rawValue: WorkSlot.ofThisThread?.work ?? 0)))"
      }
      loop.run(.noWait)
      #expect(work == "post App/Main.swift:12")
      try loop.close()
      #expect(WorkSlot.ofThisThread == nil && !WorkSlot.isWanted)
    }
  }

  @Test("a loop records nothing if neither a setting nor the environment asks")
  func noRequest() async {
    await #expect(processExitsWith: .success) {
      unsetenv("LOOPTRANSACTIONS_PUBLISHES_WORK")
      let loop = try EventLoop()
      nonisolated(unsafe) var hasSlot = true
      loop.post { hasSlot = WorkSlot.ofThisThread != nil }
      loop.run(.noWait)
      #expect(!hasSlot && loop.recorder == nil && !WorkSlot.isWanted)
      try loop.close()
    }
  }

  #if os(Linux)
    @Test("another process reads the work of each thread from the table in memory")
    func otherProcess() async {
      await #expect(processExitsWith: .success) {
        let loop = try EventLoop()
        loop.tickHandler = { _ in }
        let reader = MemoryReader()
        nonisolated(unsafe) var found = ""
        loop.post(fileID: "App/Main.swift", line: 12) {
          let thread = WorkSlot.ofThisThread?.thread ?? 0
          let ending = Process.fork { System.logToStandardError(reader.work(of: thread)) }
          found = ending.standardError
        }
        loop.run(.noWait)
        #expect(found == "kind 2, App/Main.swift, line 12\n")
        try loop.close()
      }
    }
  #endif
}

#if os(Linux)
  /// Reads the memory of the process that creates it, by the documented layout of
  /// the table.
  ///
  /// The system checks permissions when the files are opened, so another process
  /// that inherits them may read.
  private struct MemoryReader {
    private let maps = fopen("/proc/self/maps", "r")
    private let memory = open("/proc/self/mem", O_RDONLY)

    /// The kind, text and line of the work of the thread number `thread`.
    func work(of thread: UInt32) -> String {
      guard let table else { return "no table" }
      for slot in 0..<256 {
        let words = words(at: table + UInt64(slot) * 64)
        guard words[0] & 0xFFFF_FFFF == UInt64(thread) else { continue }
        let text = text(at: words[1] & 0xFFFF_FFFF_FFFF)
        return "kind \(words[1] >> 60), \(text), line \(words[1] >> 48 & 0xFFF)"
      }
      return "no slot"
    }

    /// The address of the table.
    private var table: UInt64? {
      guard let maps else { return nil }
      var line = [CChar](repeating: 0, count: 512)
      while fgets(&line, Int32(line.count), maps) != nil {
        guard strstr(line, "memfd:looptransactions-1") != nil else { continue }
        return UInt64(strtoul(line, nil, 16))
      }
      return nil
    }

    private func words(at address: UInt64) -> [UInt64] {
      var words = [UInt64](repeating: 0, count: 8)
      words.withUnsafeMutableBytes { read(into: $0, at: address) }
      return words
    }

    private func text(at address: UInt64) -> String {
      var bytes = [UInt8](repeating: 0, count: 128)
      bytes.withUnsafeMutableBytes { read(into: $0, at: address) }
      return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }

    private func read(into bytes: UnsafeMutableRawBufferPointer, at address: UInt64) {
      _ = pread(memory, bytes.baseAddress, bytes.count, off_t(address))
    }
  }
#endif
