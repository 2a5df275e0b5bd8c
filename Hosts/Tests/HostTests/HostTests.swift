import Testing

@Suite("Hosts", .serialized)
struct HostTests {
  /// The programs, one for each host.
  static let hosts = [
    "glib-host", "executor-host", "sdl-host", "dispatch-host", "main-queue-host",
    "run-loop-host",
  ]

  @Test("a timer is at most 2 ms late, or as late as the host's timer", arguments: hosts)  // C5
  func timers(_ host: String) throws {
    try inTen {
      let figures = try HostProgram.run(host, "timers")
      func value(_ name: String) -> Double { figures[name] ?? .infinity }
      let (late, own) = (value("late"), value("ownLate"))
      let (late90, own90) = (value("late90"), value("ownLate90"))
      print(
        """
        note: \(host): late by \(late) us, p90 \(late90), p99 \(value("late99")); its own timer \
        \(own), \(own90), \(value("ownLate99"))
        """
      )
      // Timers must not be lost, however busy the machine is.
      #expect(figures["timers"] == 210)
      // Timers that are not precise have a resolution of 1 ms. The lateness of the host's
      // own timers shows the delays of the machine. p99 is not compared, because it is
      // one of the three largest of 210 values, so a single delay of 10 ms can determine
      // it.
      return late <= 2000 && late90 <= (own90.isFinite ? max(2000, own90 + 1000) : 2000)
    }
  }

  @Test("a commit in a callback of the host is performed within 1 ms", arguments: hosts)  // C5
  func commits(_ host: String) throws {
    try inTen { try HostProgram.run(host, "commits")["performed"] ?? .infinity <= 1000 }
  }

  @Test(
    "a post takes at most 1.5 times as long as the host's own call, or 3 times in executor-host",
    arguments: hosts
  )  // C5, C8
  func posts(_ host: String) throws {
    try inTen {
      let figures = try HostProgram.run(host, "posts")
      // 11 us after 5.4 us in a debug build: each turn is a closure of its own.
      let most = host == "executor-host" ? 3 : Self.mostOfOwn
      return figures["ours"] ?? .infinity <= most * (figures["own"] ?? 0)
    }
  }

  @Test("an idle loop does not wake the host for a second", arguments: hosts)  // C5
  func idle(_ host: String) throws {
    let figures = try HostProgram.run(host, "idle")
    // The call that ends the second causes one iteration.
    #expect(figures["iterations"] ?? .infinity < 5)
    #expect(figures["ticks"] ?? .infinity < 5)
  }

  @Test(
    "a plain observer is called between an event's callback and the host's wait",
    arguments: hosts
  )  // L4, E6
  func observed(_ host: String) throws {
    let figures = try HostProgram.run(host, "observed")
    #expect(figures["events"] == 100)
    #expect(figures["inTime"] == 100)
  }

  @Test("a watchdog reports blocks of a RunLoopHost's run loop, until the host is cancelled")  // X4
  func watched() throws {
    #expect(try HostProgram.run("run-loop-host", "watched") == ["running": 2, "over": 2])
  }

  // In these hosts, the EventLoop serves the main queue. The other hosts serve the
  // main queue themselves.
  @Test(
    "100,000 hops to the main actor are on thread 0",
    arguments: ["glib-host", "sdl-host"]
  )  // C2, C5
  func hops(_ host: String) throws { try checkHops(HostProgram.run(host, "hops")) }

  @Test("100,000 hops to an actor pinned to the loop are on its thread", arguments: hosts)  // C1
  func pinned(_ host: String) throws { try checkHops(HostProgram.run(host, "pinned")) }

  private func checkHops(_ figures: [String: Double]) {
    #expect(figures["hops"] == 100_000)
    // A hop causes at most two iterations: the iteration that it wakes, and another that
    // finds no more work.
    #expect(figures["iterations"] ?? .infinity <= 200_100)
  }

  // C5, L11
  @Test("both loops work after a cancel, and the host works after a close", arguments: hosts)
  func ends(_ host: String) throws {
    let output = try HostProgram.output(host, "ends")
    #expect(output.lines.dropLast() == ["performed", "run finished", "performed"])
    #expect(output.figures["iterations"] ?? .infinity < 8)
  }

  @Test("a busy loop delays a call of the host by at most ten turns", arguments: hosts)  // C5
  func busy(_ host: String) throws {
    try inTen { try HostProgram.run(host, "busy")["turns"] ?? .infinity <= 10 }
  }

  // In the other hosts, timers with a delay of 0 come from another thread.
  @Test(
    "at most one turn of a busy loop precedes a timer of GLib that is due",
    arguments: ["glib-host", "executor-host"]
  )  // C5, C8
  func fair(_ host: String) throws {
    let figures = try HostProgram.run(host, "fair")
    #expect(figures.count == 2)
    for (load, turns) in figures { #expect(turns <= 1, "\(load)") }
  }

  @Test(
    "the lateness of a host's own events is measured beside each load of the loop",
    arguments: [
      ("glib-host", "lateness"), ("executor-host", "lateness"), ("executor-host", "lateness queue"),
      ("executor-host", "lateness actor"), ("sdl-host", "lateness"),
    ]
  )  // C8
  func lateness(_ host: String, _ which: String) throws {
    let figures = try HostProgram.run(host, "\(which) 0.1")
    #expect(figures["budget"] == 4000)
    for load in ["none", "committing", "backlog", "posting"] {
      #expect(figures["\(load)-events"] ?? 0 >= 1)
      for name in ["p50", "p99", "max"] {
        #expect(figures["\(load)-\(name)"]?.isFinite == true, "\(load) \(name)")
      }
    }
  }

  @Test(
    "a loop makes no turns while its callback runs the host, and makes turns again afterwards",
    arguments: hosts
  )  // C5, L7, L8
  func nested(_ host: String) throws {
    let output = try HostProgram.output(host, "nested")
    #expect(output.code == 0, "\(output.errors)")
    let round = ["runs true, rests true, waits true", "comes back true"]
    #expect(output.lines == round + round)
  }

  // In executor-host, the waiting thread hands over the turns of the host's own commits,
  // because g_main_context_invoke runs work at once on its own thread. The poll after a
  // commit may come before.
  @Test(
    "a host that polls and never waits performs transactions",
    arguments: hosts.filter { $0 != "executor-host" }
  )  // C5
  func polled(_ host: String) throws {
    let output = try HostProgram.output(host, "polled")
    #expect(output.lines == ["between 100", "within true", "timer true", "post true"])
  }

  @Test(
    "a trace of a seeded program has the spans and arrows of a plain loop's, in the same order",
    arguments: ["glib-host", "gtk-host", "sdl-host"]
  )  // C5, X3
  func traced(_ host: String) throws {
    guard host != "gtk-host" || (try? VirtualDisplay()) != nil else {
      print("note: no display, so no trace was compared under GTK")
      return
    }
    let hosted = try HostProgram.output(host, "traced")
    let plain = try HostProgram.output(host, "traced plain")
    #expect(hosted.code == 0 && hosted.lines.first == "fault none", "\(hosted.errors)")
    #expect(hosted.lines == plain.lines)
    // Every kind of step is there, and each kind of arrow.
    for start in ["post", "timer", "observer", "completion", "operation", "transaction", "flush"] {
      #expect(plain.lines.contains { $0.hasPrefix("\(start) ") }, "\(start)")
    }
    for start in ["post:", "commit:", "add:"] {
      #expect(plain.lines.contains { $0.hasPrefix(start) }, "\(start)")
    }
  }

  // GLib is not included, because it needs no descriptor except the loop's.
  @Test(
    "a host without a free descriptor throws EMFILE, and the loop remains usable",
    arguments: hosts.filter { $0 != "glib-host" && $0 != "executor-host" }
  )  // C5
  func shortage(_ host: String) throws {
    let output = try HostProgram.output(host, "shortage")
    #expect(output.lines == ["refused EMFILE", "run finished", "between 100"])
  }

  @Test("commits, posts and timers arrive although the program flushes SDL's events")  // C5
  func flushed() throws {
    let output = try HostProgram.output("sdl-host", "flushed")
    #expect(output.lines == ["commit true", "next true", "commit true", "post true", "timer true"])
  }

  @Test("posts are refused after SDL_Quit, and close() performs all accepted ones")  // C8, L2
  func quit() throws {
    for name in ["quit", "quitPending"] {
      let output = try HostProgram.output("sdl-host", name)
      #expect(output.code == 0, "\(name): \(output.errors)")
      #expect(output.lines == ["closed", "accepted true", "performed true"], "\(name)")
    }
  }

  @Test("GTK's input turns interactive mode on, and a pause turns it off")  // O4
  func gtkInput() throws {
    let output = try HostProgram.output("glib-host", "input")
    #expect(output.code == 0, "\(output.errors)")
    let states = ["false", "false", "true", "true", "true", "false"]
    #expect(output.lines == states.map { "interactive \($0)" })
  }

  @Test("keys, motions and clicks in a GTK window turn interactive mode on, layouts do not")  // O4
  func gtkWindow() throws {
    guard let display = try? VirtualDisplay(), TestProgram.installed("xdotool") != nil else {
      print("note: no display or no xdotool, so GTK's own input was not tested")
      return
    }
    let environment: [String: String?] = ["DISPLAY": display.name]
    func xdotool(_ arguments: [String]) throws {
      let output = try TestProgram.run("xdotool", arguments, environment: environment)
      try #require(output.code == 0, "xdotool \(arguments): \(output.errors)")
    }
    // Inside the window, before the window appears.
    try xdotool(["mousemove", "100", "50"])
    let program = TestProgram(TestProgram.built("gtk-host"), environment: environment)
    try program.start()
    #expect(program.nextLine() == "interactive false")
    try xdotool([
      "search", "--sync", "--onlyvisible", "--name", "^Input$", "windowfocus", "--sync",
    ])
    for action in [["key", "a"], ["mousemove", "90", "40"], ["click", "1"]] {
      try xdotool(action)
      #expect(program.nextLine() == "interactive true", "\(action)")
      #expect(program.nextLine() == "interactive false", "\(action)")
    }
    let output = program.finish()
    #expect(output.code == 0, "\(output.errors)")
    withExtendedLifetime(display) {}
  }

  @Test("SDL's input turns interactive mode on, and a pause turns it off")  // O4
  func sdlInput() throws {
    let output = try HostProgram.output("sdl-host", "input")
    #expect(output.code == 0, "\(output.errors)")
    #expect(output.lines == ["false", "true", "false"].map { "interactive \($0)" })
  }

  @Test("DispatchHost traps if another thread serves the main queue")  // C5
  func elsewhere() throws {
    let output = try HostProgram.output("dispatch-host", "elsewhere")
    #expect(output.code != 0)
    #expect(output.errors.contains("the main thread must serve the main queue"))
  }

  @Test("SDLHost without a thread throws, and closes each descriptor once")  // C5
  func refused() throws {
    let output = try HostProgram.output("sdl-host", "refused")
    #expect(output.code == 0, "\(output.errors)")
    #expect(output.lines.count == 4)
    for line in output.lines.prefix(3) {
      #expect(line.hasPrefix("ExecutorHost.init (thread 'loop-waiter'"))
      #expect(line.contains("(EAGAIN)"))
    }
    #expect(output.lines.last == "left open: 0, closed twice: 0")
  }

  @Test(
    "every public type of the host's library can be dumped, on any thread",
    arguments: [("glib-host", "LoopTransactionsGLib"), ("sdl-host", "LoopTransactionsSDL")]
  )
  func dumps(_ host: String, _ library: String) throws {
    let output = try HostProgram.output(host, "dump")
    #expect(output.code == 0, "\(output.errors)")
    #expect(output.lines == (try PublicTypes.names(of: library)))
  }

  // The maximum time of a post divided by the time of the host's own call. Debug builds
  // slow down the library but not the system's calls: a post takes 1.6 times as long as
  // Dispatch's own call.
  private static var mostOfOwn: Double {
    #if DEBUG
      2
    #else
      1.5
    #endif
  }

  /// Repeats the check up to ten times until it succeeds, because other programs
  /// may use the machine.
  private func inTen(_ isMet: () throws -> Bool) rethrows {
    for _ in 0..<10 where try isMet() { return }
    Issue.record("not met in ten runs")
  }
}
