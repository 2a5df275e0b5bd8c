import Testing

@Suite("Hosts", .serialized)
struct HostTests {
  /// Each: the program in which the host runs.
  static let hosts = [
    "glib-host", "sdl-host", "dispatch-host", "main-queue-host", "run-loop-host",
  ]

  @Test("a timer is late by 2 ms at most, or as the host's own is", arguments: hosts)  // C5
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
      // In each run: none is lost, whatever else the machine does.
      #expect(figures["timers"] == 210)
      // A timer that is not precise counts in milliseconds. What the machine takes from
      // both is the host's own lateness. Not p99, which is the second of 210: where the
      // machine took a turn of 10 ms from one of the two, it tells of that.
      return late <= 2000 && late90 <= (own90.isFinite ? max(2000, own90 + 1000) : 2000)
    }
  }

  @Test("what a callback of the host commits is performed within 1 ms", arguments: hosts)  // C5
  func commits(_ host: String) throws {
    try inTen { try HostProgram.run(host, "commits")["performed"] ?? .infinity <= 1000 }
  }

  @Test("a post takes at most half as long again as the host's own call", arguments: hosts)  // C5
  func posts(_ host: String) throws {
    try inTen {
      let figures = try HostProgram.run(host, "posts")
      return figures["ours"] ?? .infinity <= Self.mostOfOwn * (figures["own"] ?? 0)
    }
  }

  @Test("in a second in which nothing happens the host waits on", arguments: hosts)  // C5
  func idle(_ host: String) throws {
    let figures = try HostProgram.run(host, "idle")
    // The call that ends the second is one.
    #expect(figures["iterations"] ?? .infinity < 5)
    #expect(figures["ticks"] ?? .infinity < 5)
  }

  // Where the loop serves the main queue; under the others the host does, without it.
  @Test(
    "100,000 hops to the main actor are on thread 0",
    arguments: ["glib-host", "sdl-host"]
  )  // C2, C5
  func hops(_ host: String) throws { try checkHops(HostProgram.run(host, "hops")) }

  @Test("100,000 hops to an actor pinned to the loop are on its thread", arguments: hosts)  // C1
  func pinned(_ host: String) throws { try checkHops(HostProgram.run(host, "pinned")) }

  private func checkHops(_ figures: [String: Double]) {
    #expect(figures["hops"] == 100_000)
    // Two for a hop at most: one that it wakes, one in which nothing is left.
    #expect(figures["iterations"] ?? .infinity <= 200_100)
  }

  @Test("an end, or a close from within, leaves both loops", arguments: hosts)  // C5, L11
  func ends(_ host: String) throws {
    let output = try HostProgram.output(host, "ends")
    #expect(output.lines.dropLast() == ["performed", "run finished", "performed"])
    #expect(output.figures["iterations"] ?? .infinity < 8)
  }

  @Test("a call of the host waits for a few turns of a busy loop", arguments: hosts)  // C5
  func busy(_ host: String) throws {
    try inTen { try HostProgram.run(host, "busy")["turns"] ?? .infinity <= 10 }
  }

  @Test(
    "a callback of the loop may run the host anew: the loop rests, and comes back",
    arguments: hosts
  )  // C5, L7, L8
  func nested(_ host: String) throws {
    let output = try HostProgram.output(host, "nested")
    #expect(output.code == 0, "\(output.errors)")
    let round = ["runs true, rests true, waits true", "comes back true"]
    #expect(output.lines == round + round)
  }

  @Test("a host that is polled and never waits performs all the same", arguments: hosts)  // C5
  func polled(_ host: String) throws {
    let output = try HostProgram.output(host, "polled")
    #expect(output.lines == ["between 100", "within true", "timer true", "post true"])
  }

  // GLib watches the loop's own descriptor.
  @Test(
    "a host that finds no descriptor left says so, and leaves the loop to another",
    arguments: hosts.filter { $0 != "glib-host" }
  )  // C5
  func shortage(_ host: String) throws {
    let output = try HostProgram.output(host, "shortage")
    #expect(output.lines == ["refused EMFILE", "run finished", "between 100"])
  }

  @Test("what is due comes although SDL's events are flushed, and nothing else happens")  // C5
  func flushed() throws {
    let output = try HostProgram.output("sdl-host", "flushed")
    #expect(output.lines == ["commit true", "next true", "commit true", "post true", "timer true"])
  }

  @Test("a main queue that other threads serve is told so")  // C5
  func elsewhere() throws {
    let output = try HostProgram.output("dispatch-host", "elsewhere")
    #expect(output.code != 0)
    #expect(output.errors.contains("served by another thread than the first"))
  }

  @Test("a host of SDL that gets no thread says so, and closes each descriptor once")  // C5
  func refused() throws {
    let output = try HostProgram.output("sdl-host", "refused")
    #expect(output.code == 0, "\(output.errors)")
    let refusal = "SDLHost: SDL_CreateThread could start no thread; end some, or see ulimit -u"
    let refusals = [String](repeating: refusal, count: 3)
    #expect(output.lines == refusals + ["left open: 0, closed twice: 0"])
  }

  // Unoptimised, what is ours counts for more, and what is the system's does not: 1.6
  // times Dispatch's own call.
  private static var mostOfOwn: Double {
    #if DEBUG
      2
    #else
      1.5
    #endif
  }

  /// A time on a machine that others use is judged by the best of ten.
  private func inTen(_ isMet: () throws -> Bool) rethrows {
    for _ in 0..<10 where try isMet() { return }
    Issue.record("not met in ten runs")
  }
}
