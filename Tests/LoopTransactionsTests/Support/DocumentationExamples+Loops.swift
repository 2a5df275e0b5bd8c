import Dispatch
import Foundation
import LoopTransactions
import LoopTransactionsDispatch
import LoopTransactionsFoundation
import Observation

// The examples of the documentation comments, compiled and not run. scripts/lib/blocks.py
// compares them.

private func startThread(_ body: @escaping @Sendable () -> Void) {
  DispatchQueue.global().async(execute: body)
}

@Sendable private func greeting() async -> String { "hello" }

private func runMain() throws {
  try EventLoop.runMain { loop in
    let port = loop.port
    Task { @MainActor in
      print(await greeting())
      port.stop()
    }
  }
}

@MainActor
private func activities(_ loop: EventLoop) async {
  var frames = 0
  for await _ in loop.activities(.beforeWaiting) { frames += 1 }
  print(frames)
}

@MainActor
private func bound(_ loop: EventLoop, _ port: LoopPort) throws {
  let lines = LoopBound([String](), on: loop)
  try port.post { lines.withValue { $0.append("from another thread") } }
}

private final class Window: Sendable {
  let title = ""
}

private func portRun(_ port: LoopPort, _ window: Window) async throws {
  let title = try await port.run { loop in window.title }
  print(title)
}

private enum MainActorTargetExample {
  final class Label: MainActorTarget {
    static let layout = Selector<Label>("layout") { $0.layOut() }
    func layOut() {}
  }
}

private func owned() throws {
  try EventLoop.run { loop in
    loop.addTimer(after: .seconds(1)) { _ in print("the last timer") }
  }
}

@MainActor
private func bridge() throws {
  let loop = try EventLoop()
  let bridge = try MainQueueBridge(on: loop)
  Task { @MainActor in
    print("on the loop")
    loop.stop()
  }
  loop.run()
  withExtendedLifetime(bridge) {}
}

@Observable
private final class Model {
  var title = ""
}

private final class Label {
  static let layout = Selector<Label>.withObservation("layout") {
    $0.show($0.model.title)
  }
  let model = Model()
  func show(_ text: String) {}
}

@MainActor
private func embedding(_ loop: EventLoop, _ isRunning: Bool) {
  func wait(for descriptor: Int32, atMost time: Duration?) {}
  let embedding = Embedding(loop)
  while isRunning {
    wait(for: embedding.pollDescriptor, atMost: embedding.nextTimeout)
    embedding.turn()
  }
  embedding.cancel()
}

private enum EventLoopExample {
  final class Label {
    static let layout = Selector<Label>("layout") { _ in }
  }

  static func run() throws {
    let loop = try EventLoop()
    let label = Label()
    loop.commit(label, Label.layout)
    loop.commit(label, Label.layout)  // coalesced with the first
    loop.run()  // lays out once, then returns
  }
}

@MainActor
private func frameClock(_ loop: EventLoop) throws {
  func scroll(to deadline: LoopClock.Instant) {}
  let clock = try FrameClock(on: loop, framesPerSecond: 60) { frame in
    scroll(to: frame.deadline)
  }
  withExtendedLifetime(clock) {}
}

private enum FrameCommitExample {
  final class Label {
    static let show = Selector<Label>("show") { _ in }
  }

  @MainActor
  static func commit(_ loop: EventLoop, _ label: Label) throws {
    let screen = try FrameClock(on: loop, framesPerSecond: 60)
    loop.commit(label, Label.show, atNextFrameOf: screen)
  }
}

@MainActor
private func reportTicks(_ loop: EventLoop) {
  loop.tickHandler = { tick in
    if tick.duration > .milliseconds(10) { print("late:", tick) }
  }
}

private func reportFrames(_ clock: FrameClock) {
  clock.frameHandler = { report in
    if report.frame.missed > 0 { print(report) }
  }
}

private func traceFiles(_ files: [String]) {
  LoopTrace.counter("open files", files.count)
}

private func traceServer(_ serve: () throws -> Void) throws {
  let trace = try LoopTrace()
  try serve()
  LoopTrace.mark("served")
  trace.stop()
  try trace.write(to: "trace.json")
}

private func traceOnSignal() throws {
  let trace = try LoopTrace()
  try trace.write(to: "trace-%p.json", onSignal: SIGUSR2)
}

private func latencyHistogram() {
  var histogram = LatencyHistogram()
  for latency in [1, 2, 3, 50] { histogram.record(.milliseconds(latency)) }
  let median = histogram.value(atPercentile: 50)  // 2 ms, within 0.8 %
  _ = median
}

@MainActor
private func latencies(_ loop: EventLoop, _ port: LoopPort) {
  loop.recordsLatencies = true
  loop.run()
  if let latencies = port.latencies {
    print("late:", latencies.wakeLateness.value(atPercentile: 99))
    print("busy:", latencies.busy.value(atPercentile: 99))
  }
}

private func prometheus(_ group: LoopGroup) {
  func reply(with text: String, type: String) {}
  var text = PrometheusText()
  for thread in group.threads {
    text.add(thread.name, thread.port.metrics, thread.port.latencies)
  }
  reply(with: text.description, type: PrometheusText.contentType)
}

private func groupLatencies(_ group: LoopGroup) async throws {
  try await group.forEach { loop in loop.recordsLatencies = true }
}

private enum IdleBlockExample {
  final class Card {
    func prepare() {}
  }

  @MainActor
  static func prepare(_ loop: EventLoop, _ cards: [Card]) {
    for card in cards { loop.whenIdle { card.prepare() } }
  }
}

private enum PinnedExample {
  actor Session {
    nonisolated let port: LoopPort
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      port.asUnownedSerialExecutor()
    }
    init(on port: LoopPort) { self.port = port }
  }
}

@MainActor
private func port(_ loop: EventLoop) {
  let port = loop.port
  loop.waitsForPosts = true
  startThread {
    try? port.post { print("on the loop") }
    port.stop()
  }
  loop.run()
}

private final class Thumbnails {
  func flush() {}
}

@MainActor
private func resting(_ loop: EventLoop, _ thumbnails: Thumbnails) {
  let flush = loop.addObserver(for: [.beforeWaiting, .exit]) { _ in
    thumbnails.flush()
  }
  flush.isResting = true
}

private final class PendingThumbnails {
  private var waiting: [Int] = []
  private let loop: EventLoop
  private let observer: Observer

  init(_ loop: EventLoop, _ observer: Observer) { (self.loop, self.observer) = (loop, observer) }
  func flush() {
    while let next = waiting.popLast() {
      draw(next)
      guard loop.budgetAllowsMore() else { break }
    }
    observer.hasPendingWork = !waiting.isEmpty
  }
  private func draw(_ number: Int) {}
}

@MainActor
private func descriptor(_ loop: EventLoop, _ socket: Int32, _ receive: @escaping () -> Void) throws
{
  let watcher = try loop.watch(socket, for: .readable) { events in receive() }
  watcher.events = [.readable, .writable]
  watcher.cancel()
  close(socket)
}

private final class Cache {
  func removeAll() {}
}

@MainActor
private func pressure(_ loop: EventLoop, _ cache: Cache) {
  _ = try? loop.onMemoryPressure { cache.removeAll() }
}

@MainActor
private func signal(_ loop: EventLoop) throws {
  let watcher = try loop.onSignal(SIGTERM) { loop.stop() }
  watcher.keepsLoopAlive = false
}

@MainActor
private func signals(_ loop: EventLoop, _ shutDown: (Int32) async -> Void) async throws {
  for await signal in try loop.signals(SIGTERM, SIGINT) {
    await shutDown(signal)
  }
}

private func executorHost(_ session: some Actor) async throws {
  let host = try await ExecutorHost.make(on: HostExecutor(session)) { loop in
    loop.addTimer(after: .seconds(1), every: .seconds(1)) { _ in print("tick") }
  }
  try host.port.post { print("on the host") }
  try await host.close()
}

private struct Store: Sendable {
  func load(_ session: String) -> String { session }
}

private func loopGroup(_ session: String, _ store: Store) async throws {
  let group = try LoopGroup(name: "shard")
  let reply = try await group.loop(for: session).run { loop in
    store.load(session)
  }
  try await group.shutDown()
  print(reply)
}

private func loopThread() async throws {
  let thread = try LoopThread(name: "network")
  let ticks = try await thread.run { loop in loop.metrics.ticks }
  thread.stop()
  try await thread.join()
  print(ticks)
}

private final class Cell {
  func display() {}
}

@MainActor
private func queue(_ loop: EventLoop, _ cell: Cell) {
  let queue = RunLoopQueue<Cell>(on: loop, batchSize: 4) { cell, isDrained in
    cell.display()
  }
  queue.enqueue(cell)
}

private struct Change {
  let row: Int
}

private final class Table {
  func apply(_ change: Change) {}
}

@MainActor
private func valueQueue(_ loop: EventLoop, _ table: Table) {
  let changes = RunLoopValueQueue<Change>(
    on: loop,
    exclusiveBy: \.row
  ) { change, isDrained in
    table.apply(change)
  }
  changes.enqueue(Change(row: 7))
}

private final class View: Sendable {
  static let refresh = Selector<View>("refresh") { _ in }
}

private final class Lines: Sendable {
  func append(_ line: String) {}
}

@MainActor
private func portTransaction(_ loop: EventLoop, _ view: View, _ model: Lines, _ line: String) {
  let refresh = PortTransaction(view, View.refresh, on: loop.port)
  startThread {
    model.append(line)
    try? refresh.commit()
  }
}

private final class List {
  static let scroll = Selector<List>.Carrying<Double>("scroll", merge: +) {
    $0.scroll(by: $1)
  }
  func scroll(by distance: Double) {}
}

private enum SelectorExample {
  final class Label {
    static let layout = Selector<Label>("layout") { $0.layOut() }
    func layOut() {}
  }
}

private enum TransactionExample {
  final class Label {
    static let layout = Selector<Label>("layout") { $0.layOut() }
    private let loop: EventLoop
    private lazy var layout = Transaction(self, Label.layout, on: loop)
    init(on loop: EventLoop) { self.loop = loop }
    var text = "" { didSet { layout.commit() } }
    func layOut() { print(text) }
  }
}

@MainActor
private func dispatchHost(_ loop: EventLoop) throws {
  let host = try DispatchHost(loop)
  RunLoop.main.run()
  host.cancel()
}

@MainActor
private func runLoopHost(_ loop: EventLoop) throws {
  let host = try RunLoopHost(loop)
  RunLoop.main.run()
  host.cancel()
}
