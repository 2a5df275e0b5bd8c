import LoopTransactions
import LoopTransactionsTesting
import Synchronization
import TestSupport
import Testing

/// One thread that hands over work in every available way.
private final class Producer: Sendable {
  let port: LoopPort
  let queue: RunLoopQueue<Parcel>
  let ledger: Ledger
  let coalesced: Parcel
  let count: Int
  let seed: UInt64

  init(
    port: LoopPort,
    queue: RunLoopQueue<Parcel>,
    ledger: Ledger,
    coalesced: Parcel,
    count: Int,
    seed: UInt64
  ) {
    self.port = port
    self.queue = queue
    self.ledger = ledger
    self.coalesced = coalesced
    self.count = count
    self.seed = seed
  }

  func run() {
    var generator = SeededGenerator(seed: seed)
    let sequence = Sequence(ledger)
    var posted = 0
    for _ in 0..<count {
      let choice = generator.next()
      switch choice % 4 {
      case 0: post(sequence, &posted)
      case 1: postFunction(sequence, &posted)
      case 2:
        ledger.hand { () throws(LoopPort.PostError) in
          try port.commit(Parcel(ledger), Parcel.deliver)
        }
      default: enqueue()
      }
      // Commits to one target coalesce, so the number of runs depends on
      // timing.
      if choice & 0xF00 == 0 { try? port.commit(coalesced, Parcel.deliver) }
      if choice & 0xFFF0000 == 0 { port.stop() }
      if choice & 0x7F000000 == 0 { port.wake() }
    }
  }

  private func post(_ sequence: Sequence, _ posted: inout Int) {
    let number = posted
    if ledger.hand({ () throws(LoopPort.PostError) in try port.post { sequence.run(number) } }) {
      posted += 1
    }
  }

  private func postFunction(_ sequence: Sequence, _ posted: inout Int) {
    let context = Unmanaged.passRetained(Numbered(sequence, posted))
    let isIn = ledger.hand { () throws(LoopPort.PostError) in
      try port.post(Sequence.step, context: context.toOpaque())
    }
    if isIn { posted += 1 } else { context.release() }
  }

  private func enqueue() {
    ledger.hand { () throws(LoopPort.PostError) in
      if case .queued = queue.enqueue(Parcel(ledger)) { return }
      throw .closed
    }
  }
}

/// Foreign handles that start and stop, and commit to the loop.
private final class Disturbance {
  private let loop: EventLoop
  private let ledger: Ledger
  private var handles: [ForeignHandle] = []
  private var generator: SeededGenerator

  init(_ loop: EventLoop, _ ledger: Ledger, seed: UInt64) {
    self.loop = loop
    self.ledger = ledger
    generator = SeededGenerator(seed: seed)
  }

  /// Opens one handle of every kind. Some of them keep the loop from blocking.
  func begin() {
    for kind in ForeignHandle.Kind.allCases {
      let handle = ForeignHandle(kind, on: loop.libuvLoop) { [unowned self] handle in
        called(handle, kind)
      }
      // The awaited port keeps the loop alive. The loop blocks unless an idle
      // handle is active.
      handle.keepsLoopAlive(false)
      handle.start(afterMilliseconds: 1)
      handles.append(handle)
    }
  }

  private func called(_ handle: ForeignHandle, _ kind: ForeignHandle.Kind) {
    let choice = generator.next()
    if choice % 4 == 0 { commit() }
    switch kind {
    case .idle: if choice % 64 < 60 { handle.stop() }
    case .timer: handle.start(afterMilliseconds: choice % 3)
    case .prepare:
      if choice % 16 == 0 { handles[1].start() }
      if choice % 8 == 0 { handles[4].send() }
      if choice % 32 == 0 { handles[5].send() }
    case .check, .async, .poll: if choice % 256 == 0 { loop.stop() }
    }
  }

  private func commit() {
    ledger.hand { () throws(LoopPort.PostError) in loop.commit(Parcel(ledger), Parcel.deliver) }
    if generator.next() % 8 == 0 {
      loop.commit { [self] in
        ledger.hand { () throws(LoopPort.PostError) in loop.commit(Parcel(ledger), Parcel.deliver) }
      }
    }
  }

  func end() { for handle in handles { handle.close() } }
}

@Suite("Stress: producers", .serialized)
struct ProducerStressTests {
  // Each of 8 threads adds 1,000,000 items.
  private static let threadCount = 8
  private static let count = Workload.count(1_000_000)

  @Test(
    "items from 8 threads run once each, in the order in which each thread added them",
    arguments: WakeMethod.allCases,
    [false, true]
  )  // L2, L5, L6, T6, Q1
  func everythingRunsOnce(method: WakeMethod, isDisturbed: Bool) throws {
    let ledger = Ledger()
    let loop = try EventLoop(wakeMethod: method)
    let disturbance = Disturbance(loop, ledger, seed: Workload.seed &+ 99)
    if isDisturbed { disturbance.begin() }
    runProducers(on: loop, ledger)
    disturbance.end()
    // close() performs the work that is still pending.
    try loop.close()
    #expect(ledger.ran == ledger.accepted)
    #expect(ledger.accepted >= Self.threadCount * Self.count)
    #expect(ledger.refused == 0)
    #expect(ledger.twice == 0)
    #expect(ledger.outOfOrder == 0)
  }

  private func runProducers(on loop: EventLoop, _ ledger: Ledger) {
    let queue = RunLoopQueue<Parcel>(on: loop, batchSize: .unlimited) { parcel, _ in parcel.run() }
    let (port, finished) = (loop.awaitedPort, Tally())
    // This parcel has its own ledger, because coalesced commits run it an
    // arbitrary number of times.
    let coalesced = Parcel(Ledger())
    let threads = (0..<Self.threadCount).map { number in
      let producer = Producer(
        port: port,
        queue: queue,
        ledger: ledger,
        coalesced: coalesced,
        count: Self.count,
        seed: Workload.seed &+ UInt64(number)
      )
      return TestThread {
        producer.run()
        finished.increment()
        producer.port.stop()
      }
    }
    var generator = SeededGenerator(seed: Workload.seed)
    while finished.value < Self.threadCount {
      guard run(loop, ledger, generator.next()) else { break }
    }
    for thread in threads { thread.join() }
  }

  /// Runs the loop in a mode chosen by `choice`. Returns false if no post of
  /// the other threads woke the loop.
  private func run(_ loop: EventLoop, _ ledger: Ledger, _ choice: UInt64) -> Bool {
    switch choice % 4 {
    case 0: loop.run(.noWait)
    case 1: loop.run(.once)
    default:
      let before = ledger.ran
      let result = loop.run(until: loop.now.advanced(by: .seconds(60)))
      guard result == .timedOut, ledger.ran == before else { return true }
      Issue.record("no post woke the loop for a minute")
      return false
    }
    return true
  }

  @Test(
    "a loop that blocks between posts is woken for each post",
    arguments: WakeMethod.allCases
  )  // L6
  func acknowledged(method: WakeMethod) throws {
    try withLoop(method) { loop in
      let (port, finished, late) = (loop.awaitedPort, Tally(), Tally())
      let threads = (0..<Self.threadCount).map { number in
        TestThread {
          let acknowledgement = Acknowledgement()
          for _ in 0..<Workload.count(50_000) {
            try? port.post { acknowledgement.give() }
            guard acknowledgement.wait() else {
              late.increment()
              break
            }
          }
          finished.increment()
          port.stop()
        }
      }
      while finished.value < Self.threadCount { loop.run() }
      for thread in threads { thread.join() }
      #expect(late.value == 0)
    }
  }
}

/// A flag that a thread waits for between its posts.
private final class Acknowledgement: Sendable {
  private let isGiven = Atomic(false)

  // Releasing, to pair with the acquiring load in `wait()`.
  func give() { isGiven.store(true, ordering: .releasing) }

  /// Waits for the acknowledgement and resets it. Returns false if it is not
  /// given within about a minute.
  func wait() -> Bool {
    var rounds = 0
    var deadline: LoopClock.Instant?
    while !isGiven.load(ordering: .acquiring) {
      TestThread.yield()
      rounds += 1
      guard rounds % 1024 == 0 else { continue }
      if let deadline, LoopClock.now > deadline { return false }
      deadline = deadline ?? LoopClock.now.advanced(by: .seconds(60))
    }
    isGiven.store(false, ordering: .relaxed)
    return true
  }
}
