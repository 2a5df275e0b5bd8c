import CPeers
import Foundation
import Synchronization

/// A run of a loop to which its own thread and another one post.
final class LoopRun: @unchecked Sendable {
  // @unchecked: the counts are used on the loop's thread only.
  private(set) var own: UInt32 = 0
  private(set) var others: UInt32 = 0
  private(set) var isInOrder = true
  private let posts: UInt32
  private let table: cp_loop
  private let loop: UnsafeMutableRawPointer

  /// Runs `loop` until all closures have run.
  init(_ table: cp_loop, _ loop: UnsafeMutableRawPointer, posts: UInt32) {
    (self.table, self.loop, self.posts) = (table, loop, posts)
    table.post(loop, { LoopRun.of($0).postOwn() }, address)
    let posted = DispatchSemaphore(value: 0)
    let thread = Thread { [self] in
      self.table.post_many(self.loop, posts, { LoopRun.of($0).ranOther() }, address)
      posted.signal()
    }
    thread.start()
    table.run(loop)
    // The loop may run a closure before the function that posted it has returned.
    posted.wait()
  }

  private var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  private static func of(_ context: UnsafeMutableRawPointer?) -> LoopRun {
    guard let context else { preconditionFailure("a closure was called without its context") }
    return Unmanaged<LoopRun>.fromOpaque(context).takeUnretainedValue()
  }

  /// Posts one half by itself, and then the other half at once.
  private func postOwn() {
    let half = posts / 2
    for _ in 0..<half { table.post(loop, { LoopRun.of($0).ranOwn(isFirstHalf: true) }, address) }
    table.post_many(loop, posts - half, { LoopRun.of($0).ranOwn(isFirstHalf: false) }, address)
  }

  private func ranOwn(isFirstHalf: Bool) {
    if isFirstHalf != (own < posts / 2) { isInOrder = false }
    own += 1
    endIfComplete()
  }

  private func ranOther() {
    others += 1
    endIfComplete()
  }

  private func endIfComplete() {
    if own == posts, others == posts { table.stop(loop) }
  }
}

/// A count that functions on any thread increase.
final class SharedCount: Sendable {
  private let count = Atomic<Int>(0)

  var address: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  // Acquire: pairs with the release in `add`.
  var value: Int { count.load(ordering: .acquiring) }

  /// Adds 1. The context is the `address` of a count.
  static let add: @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    guard let context else { return }
    // Release: pairs with the acquire in `value`.
    Unmanaged<SharedCount>.fromOpaque(context).takeUnretainedValue()
      .count.add(1, ordering: .releasing)
  }

  func wait(for target: Int) {
    while value < target { sched_yield() }
  }
}
