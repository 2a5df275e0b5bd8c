import LoopTransactions

extension Cases {
  /// Prints the spans and arrows of a trace of a seeded program, without times. With a
  /// second argument `plain`, the loop runs itself instead of in the host.
  func traced() throws {
    let isPlain = CommandLine.arguments.dropFirst(2).first == "plain"
    let loop = try EventLoop()
    let end = isPlain ? {} : try host.serve(loop)
    let trace = try LoopTrace()
    let stop = Stop(host)
    let program = TracedProgram(loop) { isPlain ? loop.stop() : stop.now() }
    loop.post { program.takeStep() }
    if isPlain { loop.run() } else { host.run() }
    trace.stop()
    end()
    try loop.close()
    let file = try TraceFile(trace.json)
    print("fault \(file.fault ?? "none")")
    for line in file.lines { print(line) }
  }
}

/// A program whose order does not depend on times: each step asks for the next one.
private final class TracedProgram {
  static let layout = Selector<TracedProgram>("layout") { _ in }
  static let draw = Selector<TracedProgram>("draw") { _ in }
  static let next = Selector<TracedProgram>("next") { $0.askForStep() }

  private let loop: EventLoop
  private let scheduler = OperationScheduler("traced", workerLimit: 1)
  private let end: () -> Void
  private var steps = 0
  private var seed: UInt64 = 7

  init(_ loop: EventLoop, _ end: @escaping () -> Void) { (self.loop, self.end) = (loop, end) }

  /// Commits up to four transactions, some of them twice, and `next` after them.
  func takeStep() {
    for _ in 0..<random(5) {
      loop.commit(self, random(2) == 0 ? Self.layout : Self.draw)
    }
    loop.commit(self, Self.next)
  }

  private func askForStep() {
    steps += 1
    guard steps < 60 else { return end() }
    switch random(5) {
    case 0: loop.post { [self] in takeStep() }
    case 1: loop.addTimer(after: .milliseconds(random(3))) { [self] _ in takeStep() }
    case 2:
      loop.addObserver(for: .beforeWaiting, repeats: false) { [self] _ in takeStep() }
      // An observer does not begin a tick.
      loop.post {}
    case 3: takeStep()
    default:
      let transaction = AsyncTransaction(on: loop, name: "answer", scheduler: scheduler)
      transaction.add("question") { _ in
      } completion: { [self] _ in
        takeStep()
      }
      transaction.commit()
    }
  }

  /// A number below `limit`, by a linear congruential generator.
  private func random(_ limit: Int) -> Int {
    seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(seed >> 33) % limit
  }
}

extension TraceFile {
  /// The spans and arrows of the program's own code, in their order.
  fileprivate var lines: [String] {
    let spans = spans.filter { isOfProgram($0.name) || $0.category == "flush" }
    let arrows = arrows.filter { $0.spans.allSatisfy(isOfProgram) }
    return spans.map { "\($0.category) \($0.name) in \($0.parent ?? "nothing")" }
      + arrows.map { "\($0.category): \($0.spans.joined(separator: " to "))" }
  }

  // A host has posts and observers of its own.
  private func isOfProgram(_ name: String) -> Bool {
    ["TracedProgram.", "HostCases/Traced.swift"].contains { name.hasPrefix($0) }
      || ["question", "answer"].contains(name)
  }
}
