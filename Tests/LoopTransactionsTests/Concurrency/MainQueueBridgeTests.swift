import Testing

#if os(Linux)
  @Suite("MainQueueBridge, EventLoop.runMain", .serialized)
  struct MainQueueBridgeTests {
    private func say(_ name: String) throws -> [String] {
      let output = try TestProgram.run(TestProgram.built("main-thread-program"), [name])
      #expect(output.code == 0, "\(output.errors)")
      return output.lines
    }

    @Test("of 100,000 hops to the main actor every one is on thread 0")  // C2
    func hops() throws {
      #expect(try say("hops") == ["hops on thread 0: 100000", "no polling: true"])
    }

    @Test("blocks of DispatchQueue.main run on the loop, in order")  // C2
    func dispatch() throws {
      #expect(try say("dispatch") == ["ran 1000, current loop: true"])
    }

    @Test("what was sent to the main queue before there was a loop runs on it")  // C2
    func before() throws { #expect(try say("before") == ["before: 2"]) }

    @Test("main-actor code that never ends leaves the loop its timers")  // C2
    func fair() throws {
      #expect(try say("fair") == ["timer fired, and so did others"])
    }

    @Test("a bridge with nothing to do makes no ticks, and is waited for")  // C2, L7
    func idle() throws {
      #expect(try say("idle") == ["timedOut, ticks true, idle true", "finished"])
    }

    @Test("a dump of a bridge says whether its loop waits for the main queue")
    func dumped() throws {
      #expect(try say("dumped").last == "  - keepsLoopAlive: true")
    }

    @Test("on another thread, in a task, or a second time it is refused with the reason")  // C2
    func refused() throws {
      let lines = try say("refused")
      #expect(lines.count == 3)
      #expect(lines.first?.contains("not the thread the process began with") == true)
      #expect(lines.dropFirst().first?.contains("another loop serves the main queue") == true)
      #expect(lines.last?.contains("main is async, or this is called from a task") == true)
    }

    @Test("an asynchronous main is told so, before and after its first suspension")  // C2
    func asyncMain() throws {
      let output = try TestProgram.run(TestProgram.built("async-main-program"))
      #expect(output.code == 0)
      #expect(output.lines.count == 3)
      let before = output.lines.first ?? ""
      #expect(before.hasPrefix("before MainQueueBridge: main is async, or this is called from a"))
      let after = output.lines.dropFirst()
      #expect(after.allSatisfy { $0.contains("call it there, from a main that is not async") })
    }

    @Test("a block of the main queue that runs the loop is stopped, and told why")  // C2
    func nested() throws {
      let output = try TestProgram.run(TestProgram.built("main-thread-program"), ["nested"])
      #expect(output.code != 0)
      #expect(output.errors.contains("must not be run from a block of DispatchQueue.main"))
    }

    @Test("a bridge that was closed leaves what comes to the next one")  // C2
    func closed() throws {
      #expect(try say("closed") == ["without a bridge: 0", "with the next: 1"])
    }

    @Test("a block that waited before the bridge may close it, or the loop")  // C2, L11
    func closedByBlock() throws {
      #expect(try say("closedByBlock") == ["closed: true", "closed: true"])
    }

    @Test("the main queue is served in a host's own run, and may close the loop")  // C2, L11
    func adopted() throws {
      #expect(try say("adopted") == ["in the host's run: true", "closed: true"])
    }

    @Test("what the body of runMain throws comes out, and it can be called again")  // C2
    func throwing() throws { #expect(try say("throws") == ["Wrong()", "ran again"]) }

    @Test("targets of the main actor and of a pinned actor are committed like others")  // C2
    func targets() throws {
      #expect(try say("targets") == ["watching", "layouts 2, offset 6", "flushes 1, sum 106"])
    }

    @Test("a loop of another thread that performs what is the main actor's traps")  // C2
    func otherLoop() throws {
      let output = try TestProgram.run(TestProgram.built("main-thread-program"), ["otherLoop"])
      #expect(output.code != 0)
      #expect(output.errors.contains("Label: transactions of a MainActorTarget"))
    }

    @Test("the main queue is served in a host's turns")  // C2, C5
    func embedded() throws { #expect(try say("embedded") == ["hops in turns: true"]) }

    @Test("a main-actor task that takes activities keeps no loop awake, if it hops, too")  // C3, L7
    func activities() throws {
      #expect(try say("activities") == Array(repeating: "ticks true, told true", count: 6))
    }

    @Test("in a host's turns it is told of each wake, and brings no turns")  // C3, C5, L7
    func embeddedActivities() throws {
      let lines = try say("embeddedActivities")
      #expect(lines == Array(repeating: "turns true, told true", count: 6))
    }
  }
#endif
