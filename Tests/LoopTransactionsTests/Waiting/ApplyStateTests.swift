import LoopTransactions
import Testing

/// Threads that share one `apply`. Thread 0 is the caller.
private struct ModelApply {
  private enum Place {
    case joining
    /// Claims chunks, and has made this many calls.
    case calling(Int)
    case ended, asleep, returned
  }

  private let chunks: ApplyChunks
  private var claimed = 0
  private var calls: ApplyCalls
  private var places: [Place]
  private var made: [Int]
  private var wakes = 0
  private(set) var order: [Int] = []
  private(set) var fault: String?

  init(count: Int, threads: Int) {
    chunks = ApplyChunks(count: count, threads: threads)
    calls = ApplyCalls(unended: count)
    places = Array(repeating: .joining, count: threads)
    made = Array(repeating: 0, count: count)
  }

  var isOver: Bool { if case .returned = places[0] { true } else { false } }

  /// Takes a step of `thread`. Returns false if it has none.
  mutating func step(_ thread: Int) -> Bool {
    switch places[thread] {
    case .joining: claim(thread, 0)
    case .calling(let count): claim(thread, count)
    case .ended where thread == 0:
      places[0] = calls.unended == 0 || !calls.beginWait() ? .returned : .asleep
    case .asleep where wakes > 0: places[0] = .returned
    case .ended, .asleep, .returned: return false
    }
    order.append(thread)
    // Threads exchange only the word.
    let word = calls.word
    calls = ApplyCalls(word: word)
    if calls.word != word { fault = "the word lacks part of the state" }
    if isOver, made.contains(where: { $0 != 1 }) || calls.unended != 0 {
      fault = "returned after the calls \(made)"
    }
    if wakes > 1 { fault = "woken \(wakes) times" }
    return true
  }

  private mutating func claim(_ thread: Int, _ count: Int) {
    if let chunk = chunks.next(claimed: claimed) {
      claimed = chunk.upperBound
      for number in chunk { made[number] += 1 }
      places[thread] = .calling(count + chunk.count)
    } else {
      places[thread] = .ended
      if count > 0, calls.end(count) { wakes += 1 }
    }
  }
}

@Suite("ApplyState")
struct ApplyStateTests {
  // O14
  @Test(
    "in every order of claims, each call is made once, and the caller returns after the last",
    arguments: 1...6,
    1...3
  )
  func everyOrder(count: Int, threads: Int) {
    var orders = 0
    func explore(_ model: ModelApply) {
      #expect(model.fault == nil, "\(model.order)")
      var isStuck = true
      for thread in 0..<threads where model.fault == nil {
        var next = model
        guard next.step(thread) else { continue }
        isStuck = false
        explore(next)
      }
      guard isStuck else { return }
      orders += 1
      #expect(model.isOver, "the caller sleeps forever after \(model.order)")
    }
    explore(ModelApply(count: count, threads: threads))
    #expect(orders > 0)
  }

  // O14
  @Test("chunks cover every index once, and shrink to one index")
  func chunks() {
    for (count, threads) in [(1, 1), (7, 2), (1000, 5), (100_000, 64), (Int.max, 3)] {
      let chunks = ApplyChunks(count: count, threads: threads)
      var (claimed, last, steps) = (0, Int.max, 0)
      while let chunk = chunks.next(claimed: claimed) {
        #expect(chunk.lowerBound == claimed && !chunk.isEmpty && chunk.count <= last)
        (claimed, last, steps) = (chunk.upperBound, chunk.count, steps + 1)
      }
      #expect(claimed == count && last == 1)
      // The free indices shrink by 1 / 2t with each chunk.
      #expect(steps <= 2 * threads * (count.bitWidth - count.leadingZeroBitCount + 1))
    }
  }

  // O14
  @Test("the state of a call fits into its word, however many calls there are")
  func largest() {
    var calls = ApplyCalls(word: ApplyCalls(unended: .max).word)
    #expect(calls.unended == .max && !calls.hasWaiter)
    let waits = calls.beginWait()
    #expect(waits)
    calls = ApplyCalls(word: calls.word)
    #expect(calls.unended == .max && calls.hasWaiter)
    let wakes = calls.end(.max)
    #expect(wakes)
  }
}
