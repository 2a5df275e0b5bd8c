import Foundation
import Testing

#if os(Linux)
  // `scripts/check static` runs these tests with statically linked programs.
  @Suite("MainQueueBridge, EventLoop.runMain", .serialized)
  struct MainQueueBridgeTests {
    private func say(_ name: String) throws -> [String] {
      let output = try TestProgram.run(TestProgram.built("main-thread-program"), [name])
      #expect(output.code == 0, "\(output.errors)")
      return output.lines
    }

    @Test("all of 100,000 hops to the main actor run on the first thread")  // C2
    func hops() throws {
      #expect(try say("hops") == ["hops on thread 0: 100000", "no polling: true"])
    }

    @Test("blocks of DispatchQueue.main run on the loop, in order")  // C2
    func dispatch() throws {
      #expect(try say("dispatch") == ["ran 1000, current loop: true"])
    }

    @Test("blocks sent to the main queue before a loop exists run on the loop")  // C2
    func before() throws { #expect(try say("before") == ["before: 2"]) }

    @Test("main-actor code that never ends does not starve the loop's timers")  // C2
    func fair() throws {
      #expect(try say("fair") == ["timer fired, and so did others"])
    }

    @Test("a bridge without work makes no ticks and keeps the loop alive")  // C2, L7
    func idle() throws {
      #expect(try say("idle") == ["timedOut, ticks true, idle true", "finished"])
    }

    @Test("a dump of a bridge shows whether its loop waits for the main queue")
    func dumped() throws {
      #expect(try say("dumped").last == "  - keepsLoopAlive: true")
    }

    @Test("a bridge on another thread, in a task, or for a second loop is refused with the reason")
    func refused() throws {  // C2
      let lines = try say("refused")
      #expect(lines.count == 3)
      #expect(lines.first?.contains("not on the process's first thread") == true)
      #expect(lines.dropFirst().first?.contains("another loop serves the main queue") == true)
      #expect(lines.last?.contains("main is async, or the caller is a task") == true)
    }

    @Test("runMain throws in an asynchronous main, before and after its first suspension")  // C2
    func asyncMain() throws {
      let output = try TestProgram.run(TestProgram.built("async-main-program"))
      #expect(output.code == 0)
      #expect(output.lines.count == 3)
      let before = output.lines.first ?? ""
      #expect(before.hasPrefix("before MainQueueBridge: main is async, or the caller is a task"))
      let after = output.lines.dropFirst()
      #expect(after.allSatisfy { $0.contains("first thread, from a main that is not async") })
    }

    @Test("a block of the main queue that runs the loop traps with the reason")  // C2
    func nested() throws {
      let output = try TestProgram.run(TestProgram.built("main-thread-program"), ["nested"])
      #expect(output.code != 0)
      #expect(output.errors.contains("must not be run from a block of DispatchQueue.main"))
    }

    @Test("blocks that arrive after a bridge was closed run with the next, which the loop retains")
    func closed() throws {  // C2, L14
      #expect(
        try say("closed") == [
          "without a bridge: 0", "with the next: 1, kept true", "after close(): kept false",
        ]
      )
    }

    @Test("a block queued before the bridge was made may close the bridge or the loop")  // C2, L11
    func closedByBlock() throws {
      #expect(try say("closedByBlock") == ["closed: true", "closed: true"])
    }

    @Test("the main queue is served in a host's own run, and may close the loop")  // C2, L11
    func adopted() throws {
      #expect(try say("adopted") == ["in the host's run: true", "closed: true"])
    }

    @Test("an error from runMain's body is rethrown, and runMain can be called again")  // C2
    func throwing() throws { #expect(try say("throws") == ["Wrong()", "ran again"]) }

    @Test("targets on the main actor and on a pinned actor are committed like others")  // C2
    func targets() throws {
      #expect(try say("targets") == ["watching", "layouts 2, offset 6", "flushes 1, sum 106"])
    }

    @Test("performing a main-actor target's transaction on another thread's loop traps")  // C2
    func otherLoop() throws {
      let output = try TestProgram.run(TestProgram.built("main-thread-program"), ["otherLoop"])
      #expect(output.code != 0)
      #expect(output.errors.contains("Label: transactions of a MainActorTarget"))
    }

    @Test("the main queue is served in a host's turns")  // C2, C5
    func embedded() throws { #expect(try say("embedded") == ["hops in turns: true"]) }

    @Test("a watchdog and tick reports name main-actor tasks and blocks of the main queue")
    func watched() throws {  // X2, X4
      let (tick, held) = ("tick of job main queue, 1 job", "held by job main queue, one piece true")
      #expect(try say("watched") == [tick, held, held])
      #expect(try say("watchedInTurns") == [tick, held])
    }

    @Test("a task under a plain run is reported once, with the remedy")  // C2
    func unserved() throws {
      let program = TestProgram.built("main-thread-program")
      let report = "nothing serves the main queue while the first thread runs this loop; call "
      for name in ["unserved", "unservedForLong", "unservedInTicks"] {
        let output = try TestProgram.run(program, [name])
        let line = name == "unserved" ? "finished" : "before the exit"
        #expect(output.code == 0 && output.lines == [line])
        #expect(output.errors.components(separatedBy: report).count == 2, "\(output.errors)")
        // Long runs report it before they return.
        if name != "unserved" { #expect(output.errors.hasSuffix("end of the run\n")) }
      }
    }

    @Test("a task in a host's turns without a bridge is reported once, with the remedy")  // C2, C5
    func unservedInTurns() throws {
      let program = TestProgram.built("main-thread-program")
      let report = "Embedding: a Task of the main actor or a block of DispatchQueue.main waits"
      let remedy = "while the first thread runs the host; create a MainQueueBridge(on: loop)\n"
      for name in ["unservedInTurns", "unservedAfterTurns"] {
        let output = try TestProgram.run(program, [name])
        let isLong = name == "unservedInTurns"
        #expect(output.code == 0 && output.lines == [isLong ? "before the exit" : "cancelled"])
        #expect(output.errors.hasPrefix(report), "\(output.errors)")
        #expect(output.errors.hasSuffix(remedy + (isLong ? "end of the run\n" : "")))
        #expect(output.errors.components(separatedBy: report).count == 2)
      }
    }

    @Test("a main queue that a host serves, also in a block that exits, is not reported")
    func servedByHost() throws {  // C2, C5
      for name in ["servedByHost", "servedAfterTurns"] {
        let output = try TestProgram.run(TestProgram.built("main-thread-program"), [name])
        #expect(output.code == 0 && output.errors.isEmpty, "\(name): \(output.errors)")
      }
    }

    @Test("a run without a free descriptor goes on, and a bridge throws")  // C2
    func noDescriptors() throws {
      let program = TestProgram.built("main-thread-program")
      let output = try TestProgram.run(program, ["unservedWithoutDescriptors"])
      #expect(output.code == 0)
      #expect(output.lines.first == "finished")
      #expect(output.lines.last?.contains("(EMFILE)") == true, "\(output.lines)")
    }

    @Test("a main queue that is served in a callback or later is not reported")  // C2
    func servedLater() throws {
      let output = try TestProgram.run(TestProgram.built("main-thread-program"), ["servedLater"])
      #expect(output.lines == ["ran, nested true", "ran, nested false"])
      #expect(output.code == 0 && output.errors.isEmpty)
    }

    @Test("work that is pending when runMain's loop exits the process is performed")  // C7
    func exitInRunMain() throws {
      let output = try TestProgram.run(TestProgram.built("main-thread-program"), ["exitInRunMain"])
      #expect(output.code == 3 && output.lines == ["performed"])
    }

    @Test(
      "a main-actor task that iterates over activities does not keep a loop awake, even if it hops"
    )  // C3, L7
    func activities() throws {
      #expect(try say("activities") == Array(repeating: "ticks true, told true", count: 6))
    }

    @Test("in a host's turns, a main-actor task receives one activity per wake and causes no turns")
    func embeddedActivities() throws {  // C3, C5, L7
      let lines = try say("embeddedActivities")
      #expect(lines == Array(repeating: "turns true, told true", count: 6))
    }
  }
#endif
