import Foundation
import LoopTransactionsTesting
import TestSupport
import Testing

@testable import LoopTransactions

// In exit tests, because a trace is of the whole process.
@Suite("LoopTrace: files and processes")
struct LoopTraceFileTests {
  private static func path(_ name: String) -> String { "/tmp/lt-trace-\(name)-\(getpid())" }

  @Test("the file has the same events as the property, and replaces an older file")  // X3
  func written() async {
    await #expect(processExitsWith: .success) {
      let path = Self.path("file")
      defer { unlink(path) }
      try String(repeating: "old ", count: 100_000).write(
        toFile: path,
        atomically: false,
        encoding: .utf8
      )
      let trace = try LoopTrace()
      LoopTrace.mark("written")
      trace.stop()
      try trace.write(to: path)
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(try TraceFile(text).marks == ["written"])
    }
  }

  @Test("a file that cannot be written throws an error with the path and the reason")  // X3
  func refused() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      do throws(LoopTrace.TraceError) {
        try trace.write(to: "/no/such/folder/t.json")
        Issue.record("the file was written")
      } catch {
        #expect(
          error.description
            == "LoopTrace.write: cannot write '/no/such/folder/t.json': no such file or "
            + "directory (ENOENT)"
        )
      }
      #expect(throws: LoopTrace.TraceError.self) { try trace.write(to: "/dev/full") }
      // E9
      let path = Self.path("cut")
      let error = #expect(throws: LoopTrace.TraceError.self) { try trace.write(to: "\(path)\0off") }
      #expect(error?.description.contains("EINVAL") == true)
      #expect(access(path, F_OK) != 0)
      #expect(throws: UVError.self) { try trace.write(to: "\(path)\0", onSignal: SIGUSR2) }
    }
  }

  @Test("a symbolic or hard link, a FIFO, a device and another user's file are not written")
  func unsafe() async {  // X3
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace()
      let (path, other) = (Self.path("unsafe"), Self.path("other"))
      func expectRefused(_ name: String) {
        do throws(LoopTrace.TraceError) {
          try trace.write(to: path)
          Issue.record("the file was written")
        } catch {
          #expect("\(error)".contains("(\(name)); name a regular file of this user"), "\(error)")
        }
        unlink(path)
      }
      symlink(other, path)
      expectRefused("ELOOP")
      #expect(access(other, F_OK) != 0)
      try Data("kept".utf8).write(to: URL(fileURLWithPath: other))
      symlink(other, path)
      expectRefused("ELOOP")
      link(other, path)
      expectRefused("EPERM")
      mkfifo(path, 0o600)
      // With a reader. Without one, opening the FIFO fails with ENXIO.
      let reader = open(path, O_RDONLY | O_NONBLOCK)
      expectRefused("EFTYPE")
      close(reader)
      mkfifo(path, 0o600)
      expectRefused("ENXIO")
      mkdir(path, 0o700)
      expectRefused("EISDIR")
      rmdir(path)
      if geteuid() == 0 {
        rename(other, path)
        chown(path, 65534, 65534)
        #expect(throws: LoopTrace.TraceError.self) { try trace.write(to: path) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "kept")
        unlink(path)
      } else {
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "kept")
      }
      unlink(other)
    }
  }

  // Only root may give a program to another user. Started by root, it has that user's
  // privileges.
  @Test(
    "a set-user-ID program ignores the environment",
    .enabled(if: geteuid() == 0, "needs a program of another user"),
    .enabled(if: !Interposed.isSanitized, "AddressSanitizer's leak check fails in such a program")
  )
  func privileged() throws {  // X3
    let folder = Self.path("privileged")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    chmod(folder, 0o777)
    let program = folder + "/program"
    let built = TestProgram.built("main-thread-program")
    try FileManager.default.copyItem(atPath: built, toPath: program)
    let trace = folder + "/trace.json"
    let environment = [
      "LOOPTRANSACTIONS_TRACE": trace, "LOOPTRANSACTIONS_TRACE_ON": "SIGNOTHING",
    ]
    func run() throws -> TestProgram.Output {
      // A process that another test starts may still have the copy open for writing.
      while true {
        do { return try TestProgram.run(program, ["hops"], environment: environment) } catch {
          guard "\(error)".contains("Code=\(ETXTBSY) ") else { throw error }
        }
      }
    }
    let plain = try run()
    #expect(plain.code == 0 && plain.errors.contains("SIGNOTHING"), "\(plain.errors)")
    #expect(unlink(trace) == 0)
    chown(program, 65534, 65534)
    chmod(program, 0o4755)
    let privileged = try run()
    #expect(privileged.code == 0 && privileged.errors == "", "\(privileged.errors)")
    #expect(access(trace, F_OK) != 0)
  }

  @Test("a second trace is refused until the first one is stopped or released")  // X3
  func second() async {
    await #expect(processExitsWith: .success) {
      var first: LoopTrace? = try LoopTrace()
      #expect(throws: LoopTrace.TraceError.isRunning) { try LoopTrace() }
      #expect("\(LoopTrace.TraceError.isRunning)".contains("stop it first"))
      // The failed attempt does not end the first trace.
      LoopTrace.mark("first")
      #expect(try TraceFile(try #require(first).json).marks == ["first"])
      first?.stop()
      first?.stop()
      let second = try LoopTrace()
      // Stopping a stopped trace does not stop the one that runs.
      first?.stop()
      first = nil
      LoopTrace.mark("second")
      #expect(try TraceFile(second.json).marks == ["second"])
    }
    await #expect(processExitsWith: .success) {
      var trace: LoopTrace? = try LoopTrace()
      #expect(trace != nil)
      trace = nil
      _ = try LoopTrace()
    }
  }

  @Test("a capacity out of range traps with a message", arguments: [15, 1 << 24 + 1])  // X3
  func capacity(count: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [count] in
      _ = try LoopTrace(eventsPerThread: count)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("LoopTrace: eventsPerThread must be from 16 to 16777216, got \(count)"))
  }

  @Test("a track of a thread that has ended stays, and a full one has its last events")  // X3
  func overwritten() async {
    await #expect(processExitsWith: .success) {
      let trace = try LoopTrace(eventsPerThread: 17)
      TestThread { for _ in 0..<1000 { LoopTrace.mark("m") } }.join()
      let file = try TraceFile(trace.json)
      #expect(file.fault == nil)
      #expect(file.marks.count == 31)
      #expect(file.otherData.overwrittenEvents == 969)
    }
  }

  @Test("a forked child does not record, cannot write its parent's trace, and can start one")
  func forked() async {  // X3, L12
    await #expect(processExitsWith: .success) {
      Process.endInTime()
      let path = Self.path("fork")
      let trace = try LoopTrace()
      // The thread that forks has a ring of its own.
      LoopTrace.mark("outside")
      try withLoop { loop in
        loop.post { LoopTrace.mark("parent") }
        loop.run(.noWait)
        let ending = Process.fork {
          LoopTrace.mark("child")
          do { try trace.write(to: path) } catch { System.logToStandardError("\(error)") }
          trace.stop()
          if let own = try? LoopTrace() {
            LoopTrace.mark("own")
            let marks = try? TraceFile(own.json).marks
            System.logToStandardError("\(marks ?? []) \((try? TraceFile(trace.json).marks) ?? [])")
          }
        }
        #expect(ending.status == 0)
        #expect(
          ending.standardError == """
            LoopTrace.write: the trace belongs to the parent process; start one in the child
            ["own"] []

            """
        )
        #expect(access(path, F_OK) != 0)
        loop.post { LoopTrace.mark("parent again") }
        loop.run(.noWait)
      }
      let marks = try TraceFile(trace.json).marks.sorted()
      #expect(marks == ["outside", "parent", "parent again"])
    }
  }

  @Test("LOOPTRANSACTIONS_TRACE traces from the first loop on, and writes at exit")  // X3
  func environment() async throws {
    let path: String = Self.path("environment")
    defer { unlink(path) }
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("LOOPTRANSACTIONS_TRACE", path, 1)
      LoopTrace.mark("before the first loop")
      let loop = try EventLoop()
      loop.post { LoopTrace.mark("from the environment") }
      loop.run()
      #expect(throws: LoopTrace.TraceError.isRunning) { try LoopTrace() }
      try loop.close()
      // A child that exits must not write the parent's file. With a sanitizer, the leak
      // check of the child would report objects of its parent's threads.
      if !Interposed.isSanitized {
        let ending = Process.fork { exit(0) }
        #expect(ending.status == 0, "\(ending.standardError)")
      }
      #expect(access(path, F_OK) != 0)
      exit(0)
    }
    let file = try TraceFile(String(contentsOfFile: path, encoding: .utf8))
    #expect(file.fault == nil)
    #expect(file.marks == ["from the environment"])
  }

  @Test("LOOPTRANSACTIONS_TRACE reports a file that it cannot write, and a second trace")  // X3
  func environmentRefused() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("LOOPTRANSACTIONS_TRACE", "/no/such/folder/t.json", 1)
      try EventLoop().close()
      exit(0)
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("LOOPTRANSACTIONS_TRACE: LoopTrace.write: cannot write"))
    let other = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv("LOOPTRANSACTIONS_TRACE", "/tmp/lt-trace-never", 1)
      let trace = try LoopTrace()
      try EventLoop().close()
      trace.stop()
    }
    let reason = String(decoding: other?.standardErrorContent ?? [], as: UTF8.self)
    #expect(reason.contains("LOOPTRANSACTIONS_TRACE: LoopTrace: another trace is running"))
  }
}
