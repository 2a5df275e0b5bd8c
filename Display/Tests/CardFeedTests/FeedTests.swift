import AsyncDisplay
import CardFeed
import LoopTransactions
import Testing

@Suite("Feed")
struct FeedTests {
  @Test(
    "no card shows another card's picture, for any variant and any scroll",
    arguments: FeedVariant.all
  )
  func neverStale(_ variant: FeedVariant) throws {
    try withFeed(variant, count: 200) { feed, loop in
      var shown = 0
      for frame in 0..<Workload.count(120) {
        // The scroll turns round and sometimes jumps, so that cells are quickly
        // reused for other cards.
        let seconds = Double(frame) / 60
        let script = ScrollScript.turning(pointsPerSecond: 6000)
        let jump = frame % 50 == 0 ? 9000.0 : 0
        let scrolled = feed.scroll(to: script.position(at: seconds, in: feed.range) + jump)
        #expect(scrolled.staleTiles == 0)
        loop.run(.noWait)
        if frame % 40 == 0 { shown += feed.settled(at: scrolled.position, on: loop) == nil ? 0 : 1 }
      }
      let frame = try #require(feed.settled(at: 3000, on: loop))
      #expect(frame.staleTiles == 0 && frame.blanks == 0 && shown > 0)
    }
  }

  // D8
  @Test(
    "a minute of flings through 500 cards stays within its memory bounds and leaves no memory in use"
  )
  func flings() throws {
    let corpus = try Workload.corpus()
    // Warms up first. The memory of fonts, workers and the allocator's caches
    // stays in use from here on.
    try fling(corpus, frames: Workload.count(600))
    let before = residentBytes()
    try fling(corpus, frames: Workload.count(3600))
    // Measures the memory of the whole process, so it is checked only when this
    // test runs alone, as in scripts/soak.
    if Workload.isFull, let before, let after = residentBytes() {
      #expect(after - before < 16 << 20, "\(before) bytes before, \(after) after")
    }
  }

  private func fling(_ corpus: CardCorpus, frames: Int) throws {
    weak var witness: BitmapPool?
    // Small cards have a 400th of the pixels. Their limit is half of that
    // share, so that the test fails if memory is released too late.
    let limit = Workload.isFull ? 48 << 20 : (48 << 20) / 800
    try withFeed(.a4, inFlightLimit: limit, corpus: corpus) { feed, loop in
      let pool = feed.stage.pool
      witness = pool
      // The feed scrolls faster than workers can draw, even in optimised
      // builds.
      let speed = Workload.isFull ? 40_000.0 : 12_000
      let script = ScrollScript.flings(pointsPerSecond: speed)
      var frame = 0
      func show() {
        let place = script.position(at: Double(frame) / 60, in: feed.range)
        #expect(feed.scroll(to: place).staleTiles == 0)
        // A short run takes seconds instead of a minute, so workers must be
        // given time to finish.
        if !Workload.isFull, frame % 120 == 0 { _ = feed.settled(at: place, on: loop) }
        frame += 1
      }
      if Workload.isFull {
        let clock = try FrameClock(on: loop) { _ in
          show()
          if frame == frames { loop.stop() }
        }
        loop.run()
        clock.cancel()
      } else {
        while frame < frames {
          show()
          loop.run(.noWait)
        }
      }
      let metrics = feed.stage.metrics
      #expect(metrics.peakInFlightBytes > 0 && metrics.peakInFlightBytes <= limit)
      #expect(feed.metrics.shown > frames / 24 && feed.metrics.givenUp > 0)
      // The sum of bitmaps in flight, bitmaps shown, and decoded pictures of
      // cards that workers have begun but not drawn. Allocation sizes are
      // rounded up by up to an eighth, and a reused allocation may be a quarter
      // too large.
      let workers = OperationScheduler.defaultWorkerLimit / 2 + 1
      let bound = limit + feed.mostContents + workers * feed.mostPictures
      #expect(pool.metrics.peakLentBytes <= bound * 45 / 32, "\(pool.metrics)")
      feed.clear()
      #expect(feed.stage.end(on: loop))
      #expect(pool.metrics.lent == 0 && pool.metrics.lentBytes == 0)
    }
    #expect(witness == nil)
  }

  // D12
  @Test(
    "visible cards come first, longest visible first, followed by cards ahead and then cards behind"
  )
  func ranks() throws {
    try withFeed(.a3) { feed, _ in
      _ = feed.scroll(to: 5000)
      let still = feed.scroll(to: 5000)
      #expect(Set(still.tiles.map { feed.priority(of: $0.index) }) == [.high])
      for (position, isDownwards) in [(5010.0, true), (5000, false)] {
        let seen = feed.scroll(to: position).tiles.map(\.index)
        let all = feed.layout.cards(from: position - 2000, to: position + 3000)
        // The distance in points until each card leaves. It is negative if the
        // card has left.
        let left = { (index: Int) in
          let frame = feed.layout.frames[index]
          return isDownwards ? frame.maxY - position : position + 1024 - frame.origin.y
        }
        let ahead = all.filter { !seen.contains($0) && left($0) > 0 }
        let behind = all.filter { left($0) <= 0 }
        let least = try #require(seen.map { feed.priority(of: $0) }.min())
        #expect(least >= .high && !ahead.isEmpty && !behind.isEmpty)
        #expect((ahead + behind).allSatisfy { feed.priority(of: $0) < .high })
        for (rising, indices) in [(true, seen), (false, ahead), (true, behind)] {
          let sorted = indices.sorted { rising ? left($0) < left($1) : left($0) > left($1) }
          let priorities = sorted.map { feed.priority(of: $0) }
          #expect(priorities == priorities.sorted(), "\(indices)")
        }
      }
    }
    try withFeed(.a2) { feed, _ in
      _ = feed.scroll(to: 5000)
      #expect((0..<500).allSatisfy { feed.priority(of: $0) == .normal })
    }
  }

  @Test("the prediction uses the scroll speed and the duration of cards, and ignores jumps")
  func foresees() {
    var predictor = ScrollPredictor()
    let second = LoopClock.Instant(nanoseconds: 1_000_000_000)
    for frame in 0..<200 {
      let now = second.advanced(by: .milliseconds(10 * frame))
      predictor.moved(to: Double(frame) * 20, at: now, jump: 1024)
      predictor.waited(.milliseconds(100))
    }
    #expect(abs(predictor.shift - 200) < 1)
    predictor.waited(.seconds(9))
    #expect(predictor.shift < 500)
    predictor.moved(to: 90_000, at: second.advanced(by: .seconds(2)), jump: 1024)
    #expect(predictor.shift == 0)
  }

  // D12
  @Test("distant cards are skipped, and the next cards are drawn before they become visible")
  func ahead() throws {
    try withFeed(.a4) { feed, loop in
      _ = feed.settled(at: 5000, on: loop)
      // Scrolls downwards, so that one screen ahead is drawn.
      _ = feed.settled(at: 5100, on: loop)
      #expect(feed.settled(on: loop))
      #expect(feed.scroll(to: 5900).blanks == 0)
      #expect(feed.scroll(to: 90_000).blanks > 0)
    }
  }

  @Test("only S1 shows kept cards again immediately")
  func keeps() throws {
    for variant in [FeedVariant.s0, .s1] {
      try withFeed(variant) { feed, _ in
        _ = feed.scroll(to: 0)
        _ = feed.scroll(to: 2000)
        let drawn = feed.metrics.shown
        #expect(feed.scroll(to: 0).blanks == 0)
        #expect((feed.metrics.shown == drawn) == (variant == .s1))
        #expect((feed.metrics.kept > 0) == (variant == .s1))
      }
    }
  }

  @Test("a loop that draws one card per tick shows placeholders for the other cards")
  func slices() throws {
    try withFeed(.s3) { feed, loop in
      let first = feed.scroll(to: 0)
      #expect(first.blanks == first.tiles.count && first.tiles.count > 2)
      let wanted = feed.metrics.wanted
      #expect(wanted > first.tiles.count)
      for drawn in 1...wanted {
        loop.run(.noWait)
        #expect(feed.metrics.shown == drawn)
      }
      #expect(feed.frame.blanks == 0)
    }
  }
}

extension Feed {
  /// The maximum number of bytes of contents of cards that are requested at the
  /// same time.
  var mostContents: Int {
    // The range of the variant, plus two screens for the predicted scroll.
    let variant = stage.variant
    let span = (1 + variant.leading + variant.trailing + 2) * viewport.height
    let most = stride(from: -span, to: layout.height, by: viewport.height / 8).map { top in
      layout.cards(from: top, to: top + span).reduce(0.0) { bytes, index in
        let size = layout.frames[index].size
        return bytes + (size.width * scale).rounded(.up) * (size.height * scale).rounded(.up) * 4
      }
    }.max()
    return Int(most ?? 0)
  }

  /// The maximum number of bytes of the two pictures that are decoded for one
  /// card before it is drawn.
  var mostPictures: Int {
    corpus.cards.map { 2 * 4 * $0.pixels.width * $0.pixels.height }.max() ?? 0
  }
}
