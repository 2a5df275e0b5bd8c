/// The observers of a loop, by activity, each list in the order of its calls.
///
/// While a pass is under way the lists stand still: what is added waits for the
/// end of the pass, what is removed is only passed over. I6.
struct ObserverList {
  private var lists = ContiguousArray<ContiguousArray<Observer>>(repeating: [], count: 4)
  private var waiting: [Observer] = []
  private var passes = 0
  private var needsSweep = false

  /// Adds `observer` behind those of the same order; from the next pass on.
  mutating func add(_ observer: Observer) {
    guard passes == 0 else { return waiting.append(observer) }
    for index in lists.indices where observer.activities.contains(Self.activity(index)) {
      let list = lists[index]
      let place = list.firstIndex { $0.order > observer.order } ?? list.endIndex
      lists[index].insert(observer, at: place)
    }
  }

  /// Drops observers that are no longer valid once no pass is under way.
  mutating func sweepLater() {
    needsSweep = true
    if passes == 0 { settle() }
  }

  /// Whether anybody observes the activity numbered `index`.
  @inline(__always)
  func isEmpty(_ index: Int) -> Bool { lists[index].isEmpty }

  /// Begins a pass, in which the list numbered `index` stands still.
  mutating func beginPass(_ index: Int) -> ContiguousArray<Observer> {
    passes += 1
    return lists[index]
  }

  /// Ends a pass; what was added or removed meanwhile takes effect.
  @inline(__always)
  mutating func endPass() {
    passes -= 1
    if passes == 0, needsSweep || !waiting.isEmpty { settle() }
  }

  /// Drops every observer; they are not valid any more.
  mutating func removeAll() {
    for observer in lists.joined() { observer.invalidate() }
    for observer in waiting { observer.invalidate() }
    self = ObserverList()
  }

  private static func activity(_ index: Int) -> EventLoop.Activity {
    EventLoop.Activity(rawValue: 1 << UInt8(index))
  }

  @inline(never)
  private mutating func settle() {
    if needsSweep {
      needsSweep = false
      for index in lists.indices { lists[index].removeAll { !$0.isAttached } }
    }
    let added = waiting
    waiting = []
    for observer in added where observer.isAttached { add(observer) }
  }
}
