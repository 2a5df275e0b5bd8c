import CardFeed
import FrameBench
import Testing

@Suite("Frames")
struct FrameRunTests {
  private func record(_ variant: FeedVariant, _ script: ScrollScript) throws -> FrameRecord {
    var run = FrameRun(variant, try CardCorpus(scale: 0.1), script)
    (run.refreshes, run.warmUps) = (30, 3)
    return try run.record()
  }

  @Test(
    "every refresh is either presented or dropped, and the counters are consistent",
    arguments: [
      FeedVariant.s0, .s3, .a0, .a1, .a4,
    ]
  )
  func complete(_ variant: FeedVariant) throws {
    let record = try record(variant, .steady(pointsPerSecond: 2000))
    #expect(record.refreshes.count >= 30)
    #expect(record.dropped < record.refreshes.count && record.stale == 0)
    #expect(record.droppedBusy <= record.dropped)
    #expect(record.tiles > 0 && record.blanks <= record.tiles)
    #expect(!record.stalls.isEmpty && !record.inputs.isEmpty && !record.intervals.isEmpty)
    #expect(record.loopNs <= record.processNs)
    if variant.isSynchronous { #expect(record.peakBytes == 0 && record.running == 0) }
  }

  @Test("a card invalidated in every frame still shows pictures")
  func invalidated() throws {
    var run = FrameRun(.a4, try CardCorpus(scale: 0.1), .still)
    (run.refreshes, run.warmUps, run.invalidates) = (60, 60, true)
    let record = try run.record()
    #expect(record.blanks < record.tiles && record.stale == 0)
    // The counts exclude the warm-up.
    #expect(record.pictures > 0 && record.wanted == 0)
  }

  @Test("the cost of a card is measured in 80 refreshes, unless they show fewer than 5 cards")
  func calibrated() throws {
    let corpus = try CardCorpus(scale: 0.1)
    var refreshes = 0
    let loads = try [5, 4].map { shown in
      try FrameLoad(corpus, .s0) { run in
        refreshes += run.warmUps + run.refreshes
        var record = FrameRecord()
        (record.shown, record.loopNs) = (shown, UInt64(shown) * 3_600_000_000_000)
        return record
      }
    }
    #expect(refreshes == 160)
    #expect(loads[0].cardSeconds == 3600 && loads[1].cardSeconds < 3600)
  }

  @Test("the load moves a third towards each measured card cost and ignores runs of few cards")
  func followed() {
    var load = FrameLoad(cardSeconds: 0.04, pitch: 300)
    var record = FrameRecord()
    (record.shown, record.loopNs) = (9, 3_600_000_000)
    load.follow(record)
    #expect(load.cardSeconds == 0.04)
    (record.shown, record.loopNs) = (10, 1_600_000_000)
    load.follow(record)
    #expect(abs(load.cardSeconds - 0.08) < 1e-9)
    #expect(abs(load.speed(at: 0.8) - 3000) < 1e-6)
  }
}
