private import CLoopbench
private import LoopTransactions

/// `post` by hand: Swift closures in an array, which run in order and are released one by one.
struct HandPost: Peer {
  let name = "hand"
  let scenario = "post"
  var series: [String] { ["closure.self"] + (HandQueue.postSeries ?? []) }
  let isReference = true
  let isStandard = false
  let summary =
    "Swift: closures in an array; from other threads under a mutex, with uv_async_send: a floor"

  func measure(_ slice: inout Slice) throws(PeerError) {
    if slice.series == "closure.self" {
      try toSelf(&slice)
    } else {
      try QueuePost<HandQueue>().measure(&slice)
    }
  }

  private func toSelf(_ slice: inout Slice) throws(PeerError) {
    let finish = CompletionCounter()
    let list = ClosureList(capacity: slice.workload.operations)
    let steps = finish.pointer
    try slice.sample(to: finish) { items in
      for _ in 0..<items { list.append { cl_finish_step(steps) } }
      list.run()
    }
  }
}

/// Closures that wait for their run.
private final class ClosureList {
  // A pointer to a closure by itself would store a thunk of it, which is allocated.
  private struct Item {
    let call: () -> Void
  }

  private var items: UnsafeMutablePointer<Item>
  private var capacity: Int
  @exclusivity(unchecked) private var count = 0

  var isEmpty: Bool { count == 0 }

  init(capacity: Int) {
    self.capacity = capacity
    items = .allocate(capacity: capacity)
  }

  deinit {
    items.deinitialize(count: count)
    items.deallocate()
  }

  @inline(never)
  func append(_ closure: consuming @escaping () -> Void) {
    if _slowPath(count == capacity) { grow() }
    (items + count).initialize(to: Item(call: closure))
    count += 1
  }

  private func grow() {
    let larger = UnsafeMutablePointer<Item>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: items, count: count)
    items.deallocate()
    (items, capacity) = (larger, capacity * 2)
  }

  func run() {
    for index in 0..<count {
      let item = (items + index).move()
      item.call()
    }
    count = 0
  }
}

/// Closures of any thread, in an array that the loop swaps for an empty one.
private final class HandQueue: FunctionQueue, @unchecked Sendable {
  // @unchecked: `filling` is accessed under the lock, and `running` on the loop's thread.

  static let name = "hand"
  static let summary = ""
  static let postSeries: [String]? =
    ClosureSeries.all.filter { $0.hasPrefix("closure.across") }

  private let loop: UVQueue
  private let filling: Locked<UnsafeTransfer<ClosureList>>
  private var running: ClosureList

  private init(_ loop: UVQueue) {
    self.loop = loop
    filling = Locked(UnsafeTransfer(ClosureList(capacity: 64)))
    running = ClosureList(capacity: 64)
  }

  static func open(cpu: Int?) throws(PeerError) -> HandQueue {
    HandQueue(try UVQueue.open(cpu: cpu))
  }

  func post(_ function: @escaping PostedFunction, context: PostedContext?) {
    let context = UnsafeTransfer(context)
    let closure: @Sendable () -> Void = { function(context.value) }
    let wasEmpty = filling.withLock { list in
      let wasEmpty = list.value.isEmpty
      list.value.append(closure)
      return wasEmpty
    }
    guard wasEmpty else { return }
    loop.post(
      { queue in
        guard let queue else { return }
        Unmanaged<HandQueue>.fromOpaque(queue)._withUnsafeGuaranteedRef { $0.runAll() }
      },
      context: Unmanaged.passUnretained(self).toOpaque()
    )
  }

  private func runAll() {
    let empty = UnsafeTransfer(running)
    running =
      filling.withLock { list in
        let full = list
        list = empty
        return full
      }.value
    running.run()
  }

  func run() { loop.run() }

  func stop() { loop.stop() }

  func close() { loop.close() }
}
