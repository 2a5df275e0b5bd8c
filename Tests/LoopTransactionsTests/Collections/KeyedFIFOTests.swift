import LoopTransactions
import LoopTransactionsTesting
import Testing

/// The simplest implementation of a `KeyedFIFO`.
private struct ReferenceFIFO {
  struct Entry: Equatable {
    var key: UInt
    var tag: UInt32
    var payload: Int
    var isIndexed: Bool
    var number: Int
  }

  var entries: [Entry] = []
  var nextNumber = 0

  mutating func append(_ key: UInt, _ tag: UInt32, _ payload: Int, isIndexed: Bool) {
    entries.append(
      Entry(key: key, tag: tag, payload: payload, isIndexed: isIndexed, number: nextNumber)
    )
    nextNumber += 1
  }

  func index(_ key: UInt, _ tag: UInt32) -> Int? {
    entries.firstIndex { $0.isIndexed && $0.key == key && $0.tag == tag }
  }

  mutating func removeFirst(before mark: Int) -> Entry? {
    guard let first = entries.first, first.number < mark else { return nil }
    return entries.removeFirst()
  }
}

/// A list and its reference. Each step is applied to both, and each difference
/// is recorded as an issue.
private struct ComparedFIFO: ~Copyable {
  private var list: KeyedFIFO<Int>
  private var reference = ReferenceFIFO()
  // If an entry after a mark is removed, the mark may move before older
  // entries. It is then not exact.
  private var marks: [(mark: UInt32, reference: Int, isExact: Bool)] = []
  private var random: SeededGenerator
  private var steps = 0

  init(from number: UInt32, seed: UInt64) {
    list = KeyedFIFO(from: number)
    random = SeededGenerator(seed: seed)
  }

  deinit { list.free() }

  private static let weakly: UInt32 = 1 << 31
  private static let keys: UInt = 60

  private static func key(_ index: UInt) -> UInt { 0x7F00_0000_1000 + index * 48 }

  mutating func step() {
    steps += 1
    let choice = Int.random(in: 0..<1000, using: &random)
    switch choice {
    case 0..<300: append()
    case 300..<400: appendOnce()
    case 400..<430: appendUnindexed()
    case 430..<560: look()
    case 560..<680: remove()
    case 680..<720: setTag()
    case 720..<740: mark()
    case 740..<900: removeFirst()
    case 900..<980: removeMatching()
    case 980..<990: settle()
    case 990..<993: burst()
    case 993..<996: drain()
    default: everyPair()
    }
    check()
  }

  private mutating func pick() -> (UInt, UInt32) {
    // Use few pairs, so that most of them repeat. Space the keys like addresses
    // from an allocator.
    let key = Self.key(UInt.random(in: 0..<Self.keys, using: &random))
    return (key, UInt32.random(in: 1...2, using: &random))
  }

  private mutating func append() {
    let (key, tag) = pick()
    let weak = Bool.random(using: &random) ? tag | Self.weakly : tag
    guard reference.index(key, weak) == nil else { return }
    list.append(key, weak, reference.nextNumber)
    reference.append(key, weak, reference.nextNumber, isIndexed: true)
  }

  private mutating func appendOnce() {
    let (key, tag) = pick()
    let hash = KeyedFIFO<Int>.hash(key, tag)
    let isNew = reference.index(key, tag) == nil
    let capacity = list.capacity
    expect(list.appendOnce(key, tag, reference.nextNumber, hash: hash) == isNew)
    if isNew {
      reference.append(key, tag, reference.nextNumber, isIndexed: true)
    } else {
      expect(list.capacity == capacity)
    }
  }

  private mutating func appendUnindexed() {
    let (key, _) = pick()
    list.appendUnindexed(key, reference.nextNumber)
    let tag = KeyedFIFO<Int>.unindexedTag
    reference.append(key, tag, reference.nextNumber, isIndexed: false)
  }

  private mutating func look() {
    let (key, tag) = pick()
    let (place, index) = (list.find(key, tag), reference.index(key, tag))
    expect(place.map { list[$0] } == index.map { reference.entries[$0].payload })
    guard let place, let index else { return }
    list[place] += 1_000_000
    reference.entries[index].payload += 1_000_000
    expect(place.tag == tag)
  }

  private func everyPair() {
    for key in (0..<Self.keys).map(Self.key) {
      for tag in [1, 2, 1 | Self.weakly, 2 | Self.weakly] as [UInt32] {
        let (place, index) = (list.find(key, tag), reference.index(key, tag))
        expect(place.map { list[$0] } == index.map { reference.entries[$0].payload })
      }
    }
  }

  private mutating func remove() {
    let (key, tag) = pick()
    let (place, index) = (list.find(key, tag), reference.index(key, tag))
    guard let place, let index else { return expect((place == nil) == (index == nil)) }
    expect(list.remove(place) == reference.entries[index].payload)
    didRemove(at: index)
  }

  private mutating func setTag() {
    let (key, tag) = pick()
    guard let index = reference.index(key, tag | Self.weakly), reference.index(key, tag) == nil,
      let place = list.find(key, tag | Self.weakly)
    else { return }
    list.setTag(tag, at: place)
    reference.entries[index].tag = tag
  }

  private mutating func mark() {
    marks.append((list.mark, reference.nextNumber, true))
    if marks.count > 4 { marks.removeFirst() }
  }

  private mutating func removeFirst() {
    let mark = marks.randomElement(using: &random) ?? (list.mark, reference.nextNumber, true)
    let isAny = reference.entries.contains { $0.number < mark.reference }
    if isAny, mark.isExact { expect(list.hasEntries(before: mark.mark)) }
    let entry = list.removeFirst(before: mark.mark)
    if entry == nil, isAny, !mark.isExact { return }
    same(entry, reference.removeFirst(before: mark.reference))
  }

  private mutating func removeMatching() {
    let (key, _) = pick()
    let index = reference.entries.firstIndex { $0.key == key }
    same(list.removeFirst { $0.key == key }, index.map { reference.entries[$0] })
    if let index { didRemove(at: index) }
  }

  private mutating func didRemove(at index: Int) {
    let removed = reference.entries.remove(at: index)
    for index in marks.indices where marks[index].reference <= removed.number {
      marks[index].isExact = false
    }
  }

  private mutating func drain() {
    while let entry = reference.removeFirst(before: .max) {
      same(list.removeFirst(before: list.mark), entry)
    }
    expect(list.removeFirst(before: list.mark) == nil)
    settle()
  }

  private mutating func burst() {
    for _ in 0..<Int.random(in: 1...400, using: &random) { appendUnindexed() }
  }

  private mutating func settle() {
    list.resetIfEmpty()
    if list.count == 0 { expect(list.capacity <= 131_072) }
  }

  private func same(_ entry: KeyedFIFO<Int>.Entry?, _ expected: ReferenceFIFO.Entry?) {
    expect(entry?.key == expected?.key)
    expect(entry?.tag == expected?.tag)
    expect(entry?.payload == expected?.payload)
  }

  // Replaces `#expect`, which takes 20 us per call.
  private func expect(
    _ isSame: Bool,
    line: Int = #line,
    function: StaticString = #function
  ) {
    if !isSame { Issue.record("\(function) differs after \(steps) steps, see line \(line)") }
  }

  private mutating func check() {
    expect(list.count == reference.entries.count)
    // Do not call oldest() every time, because it discards the removed entries
    // in front.
    if steps % 3 == 0 { expect(list.oldest()?.payload == reference.entries.first?.payload) }
    if list.count == 0 { expect(!list.hasEntries(before: list.mark)) }
  }
}

@Suite("KeyedFIFO")
struct KeyedFIFOTests {
  @Test(
    "10,000 random operations have the same effects on a list as on a plain array",
    arguments: [1, 0, UInt32.max - 3000, (1 << 31) - 3000] as [UInt32],
    [7, 8] as [UInt64]
  )
  func random(from number: UInt32, seed: UInt64) {
    var compared = ComparedFIFO(from: number, seed: seed)
    for _ in 0..<10_000 { compared.step() }
  }

  @Test("entries are found and removed in order when their numbers wrap to zero")
  func numbersReturn() {
    for before in [0, 1, 63, 64, 65, 127] as [UInt32] {
      var list = KeyedFIFO<Int>(from: .max - before)
      defer { list.free() }
      for round in 0..<8 {
        for key in 1...40 { list.append(UInt(key), 1, round * 100 + key) }
        #expect(list.find(41, 1) == nil)
        #expect(
          (1...40).map { key in list.find(UInt(key), 1).map { list[$0] } }
            == (1...40).map { round * 100 + $0 }
        )
        var taken: [Int] = []
        let mark = list.mark
        list.append(99, 1, 0)
        while let entry = list.removeFirst(before: mark) { taken.append(entry.payload) }
        #expect(taken == (1...40).map { round * 100 + $0 })
        #expect(list.removeFirst(before: list.mark)?.key == 99)
        list.resetIfEmpty()
      }
    }
  }

  /// Appends `count` entries, and removes them in order.
  private func fillAndEmpty(_ list: inout KeyedFIFO<Int>, _ count: Int) {
    for key in 1...count { list.append(UInt(key), 1, key) }
    var expected = 1
    while let entry = list.removeFirst(before: list.mark) {
      if entry.payload != expected { Issue.record("got \(entry.payload), not \(expected)") }
      expected += 1
    }
    #expect(expected == count + 1)
    list.resetIfEmpty()
  }

  @Test("a full list that has an entry does not grow when the entry is appended again")  // T10
  func appendsOnce() {
    var list = KeyedFIFO<Int>()
    defer { list.free() }
    let capacity = list.capacity
    let keys = (1...capacity).map { UInt($0 * 32) }
    func append(_ key: UInt) -> Bool {
      list.appendOnce(key, 1, 0, hash: KeyedFIFO<Int>.hash(key, 1))
    }
    #expect(keys.allSatisfy(append))
    #expect(!keys.contains(where: append))
    #expect(list.capacity == capacity)
    #expect(append(7))
    #expect(list.capacity == 2 * capacity)
    #expect((keys + [7]).allSatisfy { list.find($0, 1) != nil })
  }

  @Test("the fourth key belongs to the fourth entry from the oldest, or is 0")
  func fourthKey() throws {
    var list = KeyedFIFO<Int>()
    defer { list.free() }
    var seen: [UInt] = []
    for key in 1...5 as ClosedRange<UInt> {
      list.append(key, 0, 0)
      seen.append(list.fourthKey)
    }
    #expect(seen == [0, 0, 0, 4, 4])
    #expect(list.removeFirst(before: list.mark)?.key == 1)
    #expect(list.fourthKey == 5)
    _ = list.remove(try #require(list.find(5, 0)))
    #expect(list.fourthKey == 0)
    while list.removeFirst(before: list.mark) != nil {}
    #expect(list.fourthKey == 0)
  }

  // T10
  @Test("a list frees the memory of 200,000 entries when it is empty")
  func shrinksAtOnce() {
    var list = KeyedFIFO<Int>()
    defer { list.free() }
    let smallest = list.capacity
    for key in 1...200_000 { list.append(UInt(key), 1, key) }
    #expect(list.capacity >= 200_000)
    #expect((1...200_000).allSatisfy { list.find(UInt($0), 1) != nil })
    while list.removeFirst(before: list.mark) != nil {}
    list.resetIfEmpty()
    #expect(list.capacity == smallest)
    list.append(5, 1, 5)
    #expect(list.find(5, 1) != nil)
    #expect(list.find(6, 1) == nil)
  }

  // T10
  @Test("a list keeps the memory of 100,000 entries until 16 emptyings in a row need little of it")
  func shrinksWhenLean() {
    var list = KeyedFIFO<Int>()
    defer { list.free() }
    let smallest = list.capacity
    for _ in 1...20 {
      fillAndEmpty(&list, 100_000)
      #expect(list.capacity == 131_072)
    }
    for _ in 1...15 { fillAndEmpty(&list, 100) }
    // Needs more than a quarter, so counting starts again.
    fillAndEmpty(&list, 40_000)
    for _ in 1...15 {
      fillAndEmpty(&list, 100)
      #expect(list.capacity == 131_072)
    }
    fillAndEmpty(&list, 100)
    #expect(list.capacity == smallest)
    fillAndEmpty(&list, 100)
  }

  // T10
  @Test("a list keeps the memory of 8,192 entries")
  func keepsLittle() {
    var list = KeyedFIFO<Int>()
    defer { list.free() }
    fillAndEmpty(&list, 8192)
    for _ in 1...100 { fillAndEmpty(&list, 1) }
    #expect(list.capacity == 8192)
  }

  @Test("evenly spaced keys take at most two probes on average, at any distance")
  func probes() {
    let selectors: [UInt32] = [1, 2, 77]
    for count in [64, 1024, 8192] {
      for distance in stride(from: 16, through: 8192, by: count == 8192 ? 272 : 16) {
        let selector = selectors[distance / 16 % 3]
        expectFewProbes(count, distance, selector)
      }
    }
    // Took 41 to 468 probes on average when the hash was one multiplication.
    for distance in [672, 736, 4032, 7728] { expectFewProbes(8192, distance, 1) }
  }

  private func expectFewProbes(_ count: Int, _ distance: Int, _ selector: UInt32) {
    var list = KeyedFIFO<Int>()
    defer { list.free() }
    let keys = (0..<count).map { 0x7F12_3456_78A0 + UInt($0 * distance) }
    for key in keys { list.append(key, selector, 0) }
    let probes = keys.reduce(0) { $0 + list.probes($1, selector) }
    if probes > 2 * count {
      Issue.record("\(probes) probes for \(count) keys, \(distance) apart")
    }
  }

  @Test("a list that never empties does not grow with the number of entries passing through")
  func passesThrough() {
    var list = KeyedFIFO<Int>()
    defer { list.free() }
    for key in 1...100_000 {
      list.append(UInt(key), 1, key)
      if key > 30 { #expect(list.removeFirst(before: list.mark)?.payload == key - 30) }
    }
    #expect(list.count == 30)
    #expect(list.capacity == 64)
  }

  @Test("entries removed from behind an older entry use no capacity")
  func removedBehind() {
    var list = KeyedFIFO<Int>()
    defer { list.free() }
    list.append(1, 1, 1)
    for key in 2...100_000 {
      list.append(UInt(key), 1, key)
      if let place = list.find(UInt(key), 1) { #expect(list.remove(place) == key) }
    }
    #expect(list.capacity == 64)
    #expect(list.find(1, 1).map { list[$0] } == 1)
    #expect(list.removeFirst(before: list.mark)?.key == 1)
  }

  @Test("a mark has no entries before it once they were removed, even after the list was reset")
  func passedMark() {
    var list = KeyedFIFO<Int>()
    defer { list.free() }
    list.append(1, 1, 1)
    let mark = list.mark
    #expect(list.removeFirst(before: mark)?.key == 1)
    list.resetIfEmpty()
    list.append(2, 1, 2)
    #expect(list.removeFirst(before: mark) == nil)
    #expect(!list.hasEntries(before: mark))
    #expect(list.removeFirst(before: list.mark)?.key == 2)
  }

  @Test("a thousand entries whose hashes collide are each found")
  func collisions() {
    var list = KeyedFIFO<Int>()
    defer { list.free() }
    // Multiples of 2^52 differ only in the highest bits of the hash product, or
    // not at all.
    for index in 1...1000 { list.append(UInt(index) << 52, 7, index) }
    for index in stride(from: 2, through: 1000, by: 2) {
      if let place = list.find(UInt(index) << 52, 7) { _ = list.remove(place) }
    }
    // I7: each entry is found through its own slot, and a removed entry through
    // no slot.
    for index in 1...1000 {
      let found = list.find(UInt(index) << 52, 7).map { list[$0] }
      #expect(found == (index % 2 == 0 ? nil : index))
    }
  }
}
