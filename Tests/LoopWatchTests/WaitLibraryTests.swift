import Foundation
import LoopWatch
import LoopbenchKit
import TestSupport
import Testing

/// The program `watch-cases` waits, and prints its waits as they must be recorded.
@Suite(
  "CLoopWait",
  .enabled(if: !Interposed.isSanitized, "a sanitizer does not permit to preload the library")
)
struct WaitLibraryTests {
  private let records: WaitRecords

  init() throws { records = try WaitRecords() }

  private func run(_ name: String, records path: String? = nil) throws -> TestProgram.Output {
    let path = path ?? records.path(forProcess: getpid())
    let output = try TestProgram.run(
      TestProgram.built("watch-cases"),
      [name],
      environment: [
        "LD_PRELOAD": TestProgram.built("libloopbench-waits.so"), WaitRecords.variable: path,
      ]
    )
    #expect(output.code == 0, "\(output.text)\n\(output.errors)")
    return output
  }

  private func waits(_ entry: Int) -> [Wait] {
    var waits: [Wait] = []
    records.readWaits(entry: entry, from: 0) { waits.append($0) }
    return waits
  }

  /// A line of the program: a descriptor or -1, a timeout, the events, and the times
  /// before and after a wait.
  private func expect(_ wait: Wait, _ line: String) {
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 5 else {
      Issue.record("\(line)")
      return
    }
    switch wait.source {
    case .epoll(let descriptor): #expect(descriptor == Int32(numbers[0]), "\(line)")
    case .poll: #expect(numbers[0] == -1, "\(line)")
    }
    #expect(wait.timeout == (numbers[1] < 0 ? nil : numbers[1]), "\(line)")
    #expect(wait.events == numbers[2], "\(line)")
    let ended = wait.ended ?? 0
    #expect(UInt64(numbers[3]) <= wait.began && wait.began <= ended, "\(line), \(wait)")
    #expect(ended <= UInt64(numbers[4]), "\(line), \(wait)")
  }

  @Test("each call is recorded with its descriptor, timeout, events and times, and keeps errno")
  func allWaits() throws {
    let lines = try run("all-waits").lines
    let found = waits(0)
    #expect(found.count == lines.count)
    for (wait, line) in zip(found, lines) { expect(wait, line) }
    #expect(found.map(\.number) == (0..<UInt64(found.count)).map { $0 })
    // A timeout that passed is in the record.
    let idle = try #require(found.first { $0.timeout == 20 })
    #expect((idle.ended ?? 0) - idle.began >= 20_000_000)
    // Each call of poll() has a place of its own in the program.
    let places = found.compactMap { if case .poll(let site) = $0.source { site } else { nil } }
    #expect(Set(places).count == places.count)
  }

  @Test("the wait of a signal handler replaces the wait that the signal interrupted")
  func handler() throws {
    _ = try run("wait-in-handler")
    let found = waits(0)
    #expect(found.map(\.events) == [1])
    #expect(found.first?.timeout == 5 && found.first?.ended != nil)
  }

  @Test("waits in more threads than there are records succeed, and ended threads leave theirs")
  func manyThreads() throws {
    let lines = try run("many-threads").lines
    let threads = records.threads()
    #expect(threads.count == 1)
    let entry = try #require(threads.first).entry
    #expect(waits(entry).count == 1)
    if let wait = waits(entry).first { expect(wait, try #require(lines.last)) }
  }

  @Test("the records of a program that has ended can be used again")
  func programEnd() throws {
    _ = try run("threads-at-exit")
    let left = records.threads()
    #expect(left.count == 256)
    _ = try run("poll-once")
    #expect(Set(records.threads().map(\.process)).count == 2)
  }

  @Test("a thread that is cancelled in a wait leaves its record")
  func cancelled() throws {
    let lines = try run("cancelled-thread").lines
    #expect(records.threads().count == 1)
    let entry = try #require(records.threads().first).entry
    if let wait = waits(entry).first { expect(wait, try #require(lines.last)) }
  }

  @Test("a child of fork() has a record of its own")
  func forked() throws {
    let lines = try run("forked").lines
    let threads = records.threads()
    #expect(Set(threads.map(\.process)).count == 2)
    #expect(threads.map { waits($0.entry).map(\.timeout) } == [[5, 7], [6]])
    for (wait, line) in zip(threads.flatMap { waits($0.entry) }, [lines[0], lines[2], lines[1]]) {
      expect(wait, line)
    }
  }

  @Test("a program that exec starts has the record of the program before it")
  func replaced() throws {
    _ = try run("replaced")
    #expect(records.threads().count == 1)
    #expect(waits(0).map(\.timeout) == [5])
  }

  @Test("a program that forbids system calls before its first wait goes on, and is recorded")
  func sandboxed() throws {
    _ = try run("sandboxed")
    #expect(waits(0).map(\.timeout) == [5])
  }

  @Test("a child in a PID namespace of its own takes no entry of another process")
  func otherNamespace() throws {
    let lines = try run("other-namespace").lines
    guard lines.count == 2 else { return }  // The system forbids namespaces.
    #expect(records.threads().map { "\($0.process) \($0.thread)" } == lines)
    #expect(waits(0).map(\.timeout) == [5, 7] && waits(1).map(\.timeout) == [6])
  }

  @Test(
    "a program without a memory for records runs as usual",
    arguments: ["/no/such/file", "/dev/null", "/dev/tty", "/"]
  )
  func noMemory(path: String) throws {
    #expect(try run("all-waits", records: path).lines.count > 15)
    #expect(records.threads().isEmpty)
  }

  @Test("a watched program removes its file of names at its end, and another one does not")
  func names() throws {
    let watched = try run("write-names").text
    #expect(watched.hasPrefix("/tmp/perf-") && access(watched, F_OK) != 0)
    let other = try run("write-names", records: "/no/such/file").text
    #expect(unlink(other) == 0)
  }

  @Test("a file that is too short, or has another version, is not changed")
  func otherFile() throws {
    let path = "/tmp/watch-records-\(getpid())"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    defer { unlink(path) }
    var status = stat()
    #expect(stat(records.path(forProcess: getpid()), &status) == 0)
    for size in [0, status.st_size / 2, status.st_size] {
      #expect(truncate(path, size) == 0)
      #expect(try run("all-waits", records: path).lines.count > 15)
      let file = try #require(FileHandle(forReadingAtPath: path))
      while let bytes = try file.read(upToCount: 1 << 20), !bytes.isEmpty {
        #expect(bytes.allSatisfy { $0 == 0 })
      }
    }
  }
}
