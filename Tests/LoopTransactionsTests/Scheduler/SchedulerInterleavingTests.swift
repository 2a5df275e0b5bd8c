import LoopTransactions
import TestSupport
import Testing

/// Three threads take three steps each: a user of the scheduler and two of its
/// workers. The suite tries every order of the nine steps.
@Suite("SchedulerState: three threads, three steps each")
struct SchedulerInterleavingTests {
  /// All 9! / (3! 3! 3!) orders in which the threads can take their steps.
  private static let orders: [[Int]] = {
    var orders: [[Int]] = []
    func extend(_ order: [Int], _ left: [Int]) {
      if order.count == 9 { orders.append(order) }
      for thread in 0..<3 where left[thread] > 0 {
        var left = left
        left[thread] -= 1
        extend(order + [thread], left)
      }
    }
    extend([], [3, 3, 3])
    return orders
  }()

  private static let programs: [[SchedulerStep]] = [
    [.add(0), .add(1), .cancel(0)],
    [.add(1), .move(0), .close],
    [.interactive(true), .add(0), .interactive(false)],
    [.setLimit(1), .add(1), .setLimit(3)],
    [.add(0), .cancel(1), .close],
    [.add(0), .add(0), .add(0)],
  ]

  private static let permitPrograms: [[SchedulerStep]] = [
    [.othersTake, .add(0), .othersGive],
    [.setPermits(1), .add(1), .setPermits(2)],
    [.add(0), .othersTake, .close],
    [.setPermits(1), .setLimit(3), .add(0)],
    [.othersTake, .interactive(true), .add(1)],
    [.setPermits(3), .setPermits(1), .cancel(0)],
  ]

  // Slow builds run every n-th pair of an opening and a program. The number of
  // programs is not a multiple of n, so every program still runs after some of
  // the openings.
  private static var stride: Int {
    Interposed.amount(1, debug: 7, sanitized: 23)
  }

  /// All orders, or every seventh order under a sanitizer.
  private static let explored = orders.enumerated().compactMap { number, order in
    Interposed.isSanitized && number % 7 != 0 ? nil : order
  }

  // O1, O4, O5
  @Test(
    "in every order, each operation ends once, and none is lost",
    arguments: [1, 2, 3],
    [1, 2]
  )
  func everyOrder(limit: Int, batchLimit: Int) {
    explore(Self.programs, limit: limit, batchLimit: batchLimit, permits: .max)
  }

  // O1. A permit may be refused, granted late, and reclaimed.
  @Test(
    "however permits are granted, each operation ends once, and no permit is lost",
    arguments: [1, 2],
    [1, 2]
  )
  func everyOrderOfPermits(permits: Int, batchLimit: Int) {
    explore(Self.permitPrograms, limit: 2, batchLimit: batchLimit, permits: permits)
  }

  private func explore(
    _ programs: [[SchedulerStep]],
    limit: Int,
    batchLimit: Int,
    permits: Int
  ) {
    #expect(Self.orders.count == 1680)
    var number = limit + batchLimit
    for opening in SchedulerStateTests.openings {
      for program in programs {
        number += 1
        guard number % Self.stride == 0 else { continue }
        for order in Self.explored {
          var model = ModelScheduler(limit: limit, batchLimit: batchLimit, permits: permits)
          for step in opening { _ = model.take(step) }
          let taken = run(order, program, yields: number % 2 == 0, &model)
          let isSettled = model.fault == nil && model.settle()
          if isSettled, model.fault == nil { continue }
          Issue.record("\(model.fault ?? "not settled"), after \(opening + taken)")
          return
        }
      }
    }
  }

  /// Runs the threads' steps in `order`. Returns the steps taken.
  private func run(
    _ order: [Int],
    _ program: [SchedulerStep],
    yields: Bool,
    _ model: inout ModelScheduler
  ) -> [SchedulerStep] {
    var taken: [SchedulerStep] = []
    var used = 0
    for (position, thread) in order.enumerated() where model.fault == nil {
      var step: SchedulerStep?
      if thread == 0 {
        step = program[used]
        used += 1
      } else {
        // The second worker yields where it can.
        step = model.turn(thread - 1, yields: yields && thread == 2 && position % 2 == 0)
      }
      if let step, model.take(step) { taken.append(step) }
    }
    return taken
  }
}
