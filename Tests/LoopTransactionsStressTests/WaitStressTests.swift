import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Stress: waits", .serialized)
struct WaitStressTests {
  // O9
  @Test("every call returns if 3 loops call each other and wait for operations that call loops")
  func callsEnd() throws {
    let loops = try (0..<3).map { _ in try RunningLoop() }
    let world = World(loops.map(\.port), rounds: Workload.count(3000))
    for index in loops.indices { try loops[index].port.post { world.begin(index) } }
    world.over.wait()
    world.over.wait()
    world.over.wait()
    for loop in loops { loop.stop() }
    #expect(world.answered.value + world.refused.value == world.called.value)
    #expect(world.strange.withLock { $0 } == [])
    #expect(world.answered.value > 0 && world.refused.value > 0)
  }
}

/// The loops, and counts of the calls made to them.
private final class World: Sendable {
  let over = Gate()
  let (called, answered, refused) = (Tally(), Tally(), Tally())
  let strange = Locked<[String]>([])
  private let ports: [LoopPort]
  private let rounds: Int
  private let scheduler = OperationScheduler(
    "stress",
    workerLimit: 3,
    permits: WorkerPermits(limit: 3)
  )

  init(_ ports: [LoopPort], rounds: Int) {
    self.ports = ports
    self.rounds = rounds
  }

  /// Runs the rounds of loop `index` on that loop. Each round is one post, so
  /// the loop answers other calls between rounds.
  func begin(_ index: Int) {
    play(index, 0, SeededGenerator(seed: Workload.seed &* 13 &+ UInt64(index)))
  }

  private func play(_ index: Int, _ round: Int, _ generator: SeededGenerator) {
    guard round < rounds else { return over.open() }
    var generator = generator
    if generator.next() % 3 == 0 {
      waitForOperations(on: index, &generator)
    } else {
      call(from: index, &generator, depth: 2)
    }
    let next = generator
    do {
      try ports[index].post { self.play(index, round + 1, next) }
    } catch { note(error) }
  }

  /// Calls a loop other than `index`, from loop `index`. The called loop may
  /// call others in turn.
  private func call(from index: Int, _ generator: inout SeededGenerator, depth: Int) {
    call((index + 1 + Int(generator.next() % 2)) % 3, &generator, depth)
  }

  private func call(_ index: Int, _ generator: inout SeededGenerator, _ depth: Int) {
    called.increment()
    let inner = SeededGenerator(seed: generator.next())
    do {
      try ports[index].postAndWait {
        var generator = inner
        if depth > 0, generator.next() % 2 == 0 {
          self.call(from: index, &generator, depth: depth - 1)
        }
      }
      answered.increment()
    } catch is WaitCycleError {
      refused.increment()
    } catch { note(error) }
  }

  private func waitForOperations(on index: Int, _ generator: inout SeededGenerator) {
    guard let loop = EventLoop.current else { return note(CancellationError()) }
    let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
    for _ in 0..<2 {
      let seed = generator.next()
      transaction.add { _ in
        var generator = SeededGenerator(seed: seed)
        // The operation may also call the loop that waits for it. That loop may
        // be running this operation itself.
        self.call(Int(generator.next() % 3), &generator, 1)
      }
    }
    transaction.waitUntilComplete()
  }

  private func note(_ error: any Error) { strange.withLock { $0.append("\(error)") } }
}
