/// The observers of a loop: one list per activity, in the order of the calls.
///
/// The lists do not change during a pass. An observer that is added during a
/// pass waits for its end. An observer that is removed during a pass is
/// skipped, and leaves the lists at the end. I6.
package struct ObserverList {
  private typealias Slots = ContiguousArray<ObserverSlot>

  private var lists = ContiguousArray<Slots>(repeating: [], count: 4)
  // For each activity, the slots of its list that are empty.
  private var vacancies = SIMD4<Int>.zero
  private var added: [Observer] = []
  private var removed: [Observer] = []
  private var passes = 0
  private var lastNumber = 0

  // For each activity, the attached observers that are not dormant.
  private var awake = SIMD4<UInt32>.zero

  /// The number of attached observers. An observer for several activities
  /// counts once per activity.
  package private(set) var count = 0

  package init() {}

  /// Whether there are no attached observers.
  package var isEmpty: Bool { count == 0 }

  /// Adds `observer` behind the observers of the same order. It takes part from
  /// the next pass on.
  mutating func add(_ observer: Observer) {
    count += Int(observer.lanes.wrappedSum())
    if !observer.isDormant { awake &+= observer.lanes }
    if passes == 0 { insert(observer) } else { added.append(observer) }
  }

  /// Removes `observer`, which is detached, once no pass is running.
  ///
  /// - Complexity: O(log n), amortised.
  mutating func remove(_ observer: Observer) {
    if passes == 0 { vacate(observer) } else { removed.append(observer) }
  }

  /// Notes that `observer`, which is attached, is dormant or no longer dormant.
  mutating func dormancyChanged(of observer: Observer) {
    if observer.isDormant { awake &-= observer.lanes } else { awake &+= observer.lanes }
  }

  /// Notes that `observer` is about to be detached.
  mutating func willDetach(_ observer: Observer) {
    count -= Int(observer.lanes.wrappedSum())
    if !observer.isDormant { awake &-= observer.lanes }
  }

  /// Whether no observer needs to be called at the activity with this index.
  package func hasNoneAwake(at index: Int) -> Bool { awake[index] == 0 }

  /// Whether an observer in the list at `index` has pending work.
  package func hasWork(_ index: Int) -> Bool {
    lists[index].contains { slot in
      slot.reference?._withUnsafeGuaranteedRef { $0.isPending } == true
    }
  }

  /// Begins a pass over the list at `index` and returns a snapshot of it.
  package mutating func beginPass(_ index: Int) -> ContiguousArray<ObserverSlot> {
    passes += 1
    return lists[index]
  }

  /// Ends a pass, and applies the additions and removals made during it.
  package mutating func endPass() {
    passes -= 1
    if passes == 0, !removed.isEmpty || !added.isEmpty { applyChanges() }
  }

  /// Removes and returns all observers. The caller must detach them. An observer
  /// for several activities occurs once per activity.
  mutating func removeAll() -> [Observer] {
    let all = all
    lists = ContiguousArray(repeating: [], count: 4)
    vacancies = .zero
    added = []
    removed = []
    return all
  }

  /// Detaches all observers from the loop.
  mutating func detachAll() {
    for observer in all { observer.detach() }
    count = 0
    awake = .zero
  }

  private var all: [Observer] {
    lists.joined().compactMap { $0.reference?.takeUnretainedValue() } + added
  }

  private mutating func insert(_ observer: Observer) {
    lastNumber += 1
    observer.number = lastNumber
    for index in lists.indices where observer.lanes[index] != 0 {
      lists[index].insert(ObserverSlot(observer), at: place(of: observer, index))
    }
  }

  /// Empties the slots of `observer`. Removing them would move all later slots.
  private mutating func vacate(_ observer: Observer) {
    for index in lists.indices where observer.lanes[index] != 0 {
      let place = place(of: observer, index)
      guard place < lists[index].count, lists[index][place].holds(observer) else { continue }
      lists[index][place].vacate()
      vacancies[index] += 1
      if vacancies[index] * 2 > lists[index].count { sweep(index) }
    }
  }

  private mutating func sweep(_ index: Int) {
    lists[index].removeAll { $0.reference == nil }
    vacancies[index] = 0
  }

  /// The index of the observer's slot in a list, or the index at which to insert
  /// the slot.
  private func place(of observer: Observer, _ index: Int) -> Int {
    let key = (observer.order, observer.number)
    var range = lists[index].indices
    while let middle = range.isEmpty ? nil : (range.lowerBound + range.upperBound) / 2 {
      let slot = lists[index][middle]
      range =
        (slot.order, slot.number) < key
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  @inline(never)
  private mutating func applyChanges() {
    for observer in removed { vacate(observer) }
    removed = []
    for observer in added where observer.isAttached { insert(observer) }
    added = []
  }
}

/// The place of an observer in a list. The slots are in ascending order of
/// `order` and `number`, also those whose observer was removed.
package struct ObserverSlot {
  let order: Int
  let number: Int
  private var observer: Observer?
  /// The observer, unless it was removed. A pass uses this property and not
  /// `observer`, because each access of a counted reference retains the object.
  package private(set) var reference: Unmanaged<Observer>?

  fileprivate init(_ observer: Observer) {
    order = observer.order
    number = observer.number
    self.observer = observer
    reference = .passUnretained(observer)
  }

  fileprivate func holds(_ other: Observer) -> Bool { observer === other }

  fileprivate mutating func vacate() {
    observer = nil
    reference = nil
  }
}
