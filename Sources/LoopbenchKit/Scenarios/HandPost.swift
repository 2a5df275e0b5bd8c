private import CLoopbench

/// `post/closure.self` by hand: closures in an array, which run in order and are released one by
/// one.
struct HandPost: Peer {
  let name = "hand"
  let scenario = "post"
  let series = ["closure.self"]
  let isReference = true
  let isStandard = false
  let summary = "Swift: closures in an array, run and released in order; no loop: a floor"

  func measure(_ slice: inout Slice) throws(PeerError) {
    let finish = CompletionCounter()
    let list = ClosureList(capacity: slice.workload.operations)
    let steps = finish.pointer
    try slice.sample { (items) throws(PeerError) in
      finish.reset(target: items)
      let began = cl_now()
      for _ in 0..<items { list.append { cl_finish_step(steps) } }
      list.run()
      return try finish.nanoseconds(since: began)
    }
  }
}

/// Closures that wait for their run.
private final class ClosureList {
  // A pointer to a closure by itself would store a thunk of it, which is allocated.
  private struct Item {
    let call: () -> Void
  }

  private let items: UnsafeMutablePointer<Item>
  @exclusivity(unchecked) private var count = 0

  init(capacity: Int) { items = .allocate(capacity: capacity) }

  deinit {
    items.deinitialize(count: count)
    items.deallocate()
  }

  @inline(never)
  func append(_ closure: consuming @escaping () -> Void) {
    (items + count).initialize(to: Item(call: closure))
    count += 1
  }

  func run() {
    for index in 0..<count {
      let item = (items + index).move()
      item.call()
    }
    count = 0
  }
}
