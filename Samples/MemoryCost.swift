// Holds objects of one kind, and ends without releasing them, for tools that count the
// memory in use at the end. `scripts/counts memory` runs it.
//
// Arguments: post.closure 4096
// Prints:
//   4096 objects

import LoopTransactions

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

final class Target: Sendable {
  static let show = Selector<Target>("show") { $0.touch() }

  @inline(never)
  func touch() {}
}

// unsafe: one thread writes it, and none reads it. A global, so that the compiler does not
// see that the objects are not used.
nonisolated(unsafe) private var kept: Unmanaged<AnyObject>?

/// Keeps objects in use without memory of their own.
@inline(never)
func keep(_ object: AnyObject) { kept = Unmanaged.passRetained(object) }

/// Makes `count` objects of the kind that `name` names.
@MainActor
func hold(_ name: String, _ count: Int, on loop: EventLoop) throws {
  switch name {
  case "target": for _ in 0..<count { keep(Target()) }
  case "commit":
    for _ in 0..<count { loop.commit(Target(), Target.show) }
  case "transaction": try holdTransactions(count, on: loop)
  case "post.closure":
    let (target, other) = (Target(), Target())
    for _ in 0..<count {
      loop.post {
        target.touch()
        other.touch()
      }
    }
  case "post.function": for _ in 0..<count { try loop.port.post({ _ in }, context: nil) }
  case "queue":
    let queue = RunLoopQueue<Target>(on: loop) { target, _ in target.touch() }
    keep(queue)
    for _ in 0..<count { queue.enqueue(Target()) }
  case "operation": holdOperations(count)
  case "async":
    for _ in 0..<count { keep(AsyncTransaction(on: loop)) }
  case "timer": for _ in 0..<count { keep(loop.addTimer(after: .seconds(60)) { _ in }) }
  case "timer.precise":
    let deadline = loop.now.advanced(by: .seconds(60))
    for _ in 0..<count { keep(try loop.addPreciseTimer(at: deadline) { _ in }) }
  case "observer": for _ in 0..<count { keep(loop.addObserver(for: .beforeWaiting) { _ in }) }
  case "loop": for index in 0..<count { keep(try LoopThread(name: "loop \(index)")) }
  default: preconditionFailure("no such kind: \(name)")
  }
}

/// Kept transactions, each with a target of its own and committed.
@MainActor
func holdTransactions(_ count: Int, on loop: EventLoop) throws {
  for _ in 0..<count {
    let target = Target()
    let transaction = Transaction(target, Target.show, on: loop)
    transaction.commit()
    keep(target)
    keep(transaction)
  }
}

/// Operations that wait behind one that does not end.
func holdOperations(_ count: Int) {
  let scheduler = OperationScheduler("held", workerLimit: 1)
  let target = Target()
  scheduler.add { _ in while true { pause() } }
  for _ in 0..<count { scheduler.add { _ in target.touch() } }
  keep(scheduler)
}

let arguments = Array(CommandLine.arguments.dropFirst()) + ["post.closure", "4096"]
let loop = try EventLoop()
let count = Int(arguments[1]) ?? 4096
try hold(arguments[0], count, on: loop)
print(count, "objects")
fflush(nil)
// Without the destructors of the process, which would release some of the memory.
_exit(0)
