// Tests code with a timer, an operation and its completion. Nothing runs until
// the test steps the loop, so every run with the same seed is the same.
//
// Prints:
//   10000 seeds: saved once, two seconds after the last change
//   720 orders of six operations
//   a slow save can win: ["A", "AB"] or ["AB", "A"]

import LoopTransactions
import LoopTransactionsTesting

/// Saves its text two seconds after the last change.
final class Draft {
  private(set) var saved: [String] = []
  private let loop: EventLoop
  private let scheduler: OperationScheduler
  private var text = ""
  private var timer: LoopTimer?

  init(on loop: EventLoop, _ scheduler: OperationScheduler = .shared) {
    self.loop = loop
    self.scheduler = scheduler
  }

  func type(_ more: String) {
    text += more
    timer?.cancel()
    timer = loop.addTimer(after: .seconds(2)) { [weak self] _ in
      self?.save()
    }
  }

  private func save() {
    let transaction = AsyncTransaction(on: loop, scheduler: scheduler)
    let text = text
    transaction.add("save") { _ in
      text.uppercased()
    } completion: { [weak self] outcome in
      if let value = outcome.value { self?.saved.append(value) }
    }
    transaction.commit()
  }
}

// A seed determines the order of the steps.
for seed in UInt64(0)..<10_000 {
  // snippet.seed
  let stepped = try SteppedLoop(seed: seed)
  let workers = SteppedScheduler(on: stepped)
  let draft = Draft(on: stepped.loop, workers.scheduler)
  draft.type("a")
  stepped.advance(by: .seconds(1))
  draft.type("b")
  stepped.advance(by: .seconds(2))
  precondition(draft.saved == ["AB"], "seed \(seed)")
  try stepped.close()
  // snippet.end
}
print("10000 seeds: saved once, two seconds after the last change")

// Every order is tried.
let orders = try SteppedLoop.forEachOrder { stepped in
  let scheduler = SteppedScheduler(on: stepped).scheduler
  for _ in 0..<6 { scheduler.add { _ in } }
  stepped.runUntilIdle()
}
print("\(orders) orders of six operations")

// An operation can take time, and be overtaken by the next one.
var results: Set<[String]> = []
try SteppedLoop.forEachOrder { stepped in
  let workers = SteppedScheduler(
    on: stepped,
    operationTime: .zero ... .seconds(5)
  )
  let draft = Draft(on: stepped.loop, workers.scheduler)
  draft.type("a")
  stepped.advance(by: .seconds(2))
  draft.type("b")
  stepped.advance(by: .seconds(9))
  results.insert(draft.saved)
}
let all = results.sorted { $0[0] < $1[0] }.map { "\($0)" }
print("a slow save can win:", all.joined(separator: " or "))
