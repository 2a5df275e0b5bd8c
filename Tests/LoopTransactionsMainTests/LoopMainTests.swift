import Testing

#if os(Linux) && compiler(>=6.3) && compiler(<6.4)
  // `scripts/check static` runs these tests with statically linked programs.
  @Suite("LoopTransactionsMain, asynchronous main", .serialized)
  struct LoopTransactionsMainTests {
    private func run(_ name: String) throws -> TestProgram.Output {
      try TestProgram.run(TestProgram.built("loop-main-program"), [name])
    }

    private func say(_ name: String) throws -> [String] {
      let output = try run(name)
      #expect(output.code == 0, "\(output.errors)")
      return output.lines
    }

    private func failure(_ name: String) throws -> String {
      let output = try run(name)
      #expect(output.code != 0)
      return output.errors
    }

    @Test("all of 100,000 hops of main, and of calls to it, end on the first thread")  // C7
    func hops() throws {
      #expect(
        try say("hops") == [
          "main left the first thread 0 times", "hops on the first thread: 100000",
          "no polling: true",
        ]
      )
    }

    @Test("sleeps, DispatchQueue.main and observed models work together on the loop")  // C7, C4
    func together() throws {
      #expect(
        try say("together") == [
          "shown [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]", "blocks on the first thread 1000, sleeps 50",
        ]
      )
    }

    @Test("each of 2,000 suspensions ends on the first thread, with the loop as current")  // C7
    func suspensions() throws {
      #expect(try say("suspensions") == ["2000 suspensions, 0 ended elsewhere"])
    }

    @Test("tasks started before the loop exists run before those started later")  // C7
    func early() throws {
      #expect(
        try say("early") == [
          "loop before its first use: none", "made by its first use: true", "[0, 1, 2, 3, 4, 5]",
        ]
      )
    }

    @Test("the loop makes no ticks while main sleeps")  // C7, L7
    func idle() throws { #expect(try say("idle") == ["ticks true, idle true"]) }

    @Test("main calls an actor that is pinned to its loop without leaving the thread")  // C7, C1
    func pinned() throws { #expect(try say("pinned") == ["elsewhere 0, few ticks true"]) }

    @Test("main and other threads commit transactions to the main actor's loop")  // C7
    func transactions() throws { #expect(try say("transactions") == ["shown [0, 0]"]) }

    @Test("callbacks of the loop and blocks of the main queue are isolated to the main actor")
    func assumed() throws {  // C7
      #expect(
        try say("assumed") == ["isolated in a timer", "isolated in a block, loop true"]
      )
    }

    @Test("an error that main throws ends the process with a failure")  // C7
    func throwing() throws { #expect(try failure("throws").contains("Wrong()")) }

    @Test("the process exits when main returns, although tasks and timers remain")  // C7
    func unfinished() throws { #expect(try say("unfinished") == ["main ends"]) }

    @Test("pending work is performed when main returns or the program calls exit")  // C7
    func exits() throws {
      let work = ["posted", "exit observer", "saved", "drawn", "posted again"]
      for name in ["exits", "exitsLater"] {
        let lines = try say(name)
        #expect(lines.first == "main ends" && lines.dropFirst().sorted() == work.sorted())
      }
      let output = try run("exitCalled")
      #expect(output.code == 3 && output.lines.first == "main ends")
      #expect(output.lines.dropFirst().sorted() == work.sorted())
    }

    @Test("elements of queues and blocks of the main queue are delivered at the exit")  // C7
    func exitsWithElements() throws {
      let work =
        ["block", "value 1", "value 2", "value 3"]
        + Array(repeating: "element", count: 3) + Array(repeating: "saved", count: 3)
      let lines = try say("exitsWithElements")
      #expect(lines.first == "main ends" && lines.dropFirst().sorted() == work.sorted())
      let output = try run("exitsInElement")
      #expect(output.code == 3 && output.lines.dropFirst().sorted() == work.sorted())
    }

    @Test("work that the exit cannot finish is reported by name")  // C7
    func exitUnfinished() throws {
      let output = try run("exitUnfinished")
      #expect(output.code == 0 && output.lines.isEmpty)
      let message = "EventLoop.main: the process exits with unfinished work: "
      #expect(output.errors.contains(message))
      #expect(output.errors.contains("async transaction 'cards'"))
      #expect(output.errors.contains("transaction Document.again and 2 others"))
      #expect(output.errors.contains("1 element of the queue at loop_main_program/LoopMain.swift:"))
    }

    @Test("stopping the loop before main returned traps instead of ending the process with 0")
    func stopped() throws {  // C7
      #expect(try failure("stopped").contains("the run ended (stopped) before main returned"))
    }

    @Test("running the main actor's loop from a task traps")  // C7
    func runInTask() throws {
      #expect(try failure("runInTask").contains("must not be called on EventLoop.main from a task"))
      // The task may resume before the loop runs, in its first callback, or later: each has a
      // message of its own.
      #expect(try failure("runWhileRunning").contains("EventLoop.run: must not be called"))
    }

    @Test("a loop that the system has no descriptor for traps with the reason")  // C7
    func noDescriptor() throws {
      let reason = "creating the main actor's loop failed: EventLoop.init: too many open files"
      #expect(try failure("noDescriptor").contains(reason))
    }

    @Test("reading EventLoop.main on another thread traps")  // C7
    func offMain() throws {
      #expect(try failure("offMain").contains("call it on the process's first thread"))
    }
  }

  @Suite("LoopTransactionsMain, synchronous main", .serialized)
  struct LoopMainSyncTests {
    private func say(_ name: String) throws -> [String] {
      let output = try TestProgram.run(TestProgram.built("loop-main-sync-program"), [name])
      #expect(output.code == 0, "\(output.errors)")
      return output.lines
    }

    @Test("a synchronous main runs and stops the main actor's loop like any other")  // C7
    func run() throws { #expect(try say("run") == ["on the loop: true", "stopped"]) }

    @Test("tasks and blocks that were queued before the loop run before later tasks")  // C7
    func ordered() throws { #expect(try say("order") == ["[1, 2, 3, 4, 5, 6]"]) }

    @Test("runMain serves the main actor unless EventLoop.main was used")  // C7, C2
    func runMain() throws { #expect(try say("runMain") == ["on runMain's loop: true"]) }

    @Test("runMain is refused while EventLoop.main serves the main queue")  // C7, C2
    func both() throws {
      let lines = try say("both")
      #expect(lines.count == 1)
      #expect(lines.first?.contains("another loop serves the main queue") == true)
    }

    @Test("reading EventLoop.main while another loop has a bridge traps with the reason")  // C7, C2
    func bridged() throws {
      let output = try TestProgram.run(TestProgram.built("loop-main-sync-program"), ["bridged"])
      #expect(output.code != 0)
      #expect(output.errors.contains("creating the main actor's loop failed: MainQueueBridge: "))
    }

    @Test("after close(), jobs of the main actor go to the main queue")  // C7
    func closed() throws { #expect(try say("closed") == ["after close()"]) }
  }
#endif
