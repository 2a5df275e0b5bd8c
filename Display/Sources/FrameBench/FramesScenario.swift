import CardFeed
public import LoopbenchKit

/// One load of the feed.
struct FrameSeries: Sendable {
  let name: String
  /// Cards a second times the seconds of a card.
  let load: Double
  let summary: String
  var invalidates = false
  var script: @Sendable (_ pointsPerSecond: Double) -> ScrollScript = {
    .steady(pointsPerSecond: $0)
  }

  static let all = [
    FrameSeries(name: "tutorial", load: 0.72, summary: "r·c = 0.72: the load of the tutorial"),
    FrameSeries(name: "twice", load: 1.44, summary: "r·c = 1.44: twice the tutorial's"),
    FrameSeries(name: "fourfold", load: 2.88, summary: "r·c = 2.88: four times the tutorial's"),
    FrameSeries(
      name: "turning",
      load: 0.72,
      summary: "r·c = 0.72, and turning round each second: cards come, go, and come again",
      script: { .turning(pointsPerSecond: $0) }
    ),
    FrameSeries(
      name: "jumping",
      load: 0.72,
      summary: "r·c = 0.72, by jumps: whatever is on its way is cancelled",
      script: { .jumping(pointsPerSecond: $0) }
    ),
    FrameSeries(
      name: "invalidate",
      load: 0,
      summary: "r·c = 0: nothing scrolls, every card is drawn anew in every frame",
      invalidates: true,
      script: { _ in .still }
    ),
  ]
}

/// Frames of a feed of cards, at a stated load.
public enum FramesScenario {
  static let name = "frames"

  /// The registry of `loopbench-frames`.
  public static let registry = Registry(
    scenarios: [scenario],
    peers: FeedVariant.all.map { FramesPeer($0) }
  )

  static let scenario = Scenario(
    name: name,
    summary: "scroll a feed of cards at 60 Hz: from one frame to the next",
    series: FrameSeries.all.flatMap(series),
    references: ["S0"],
    extras: [.processorUse],
    details: details,
    figures: FrameFigures.all
  )

  // A slice is two seconds of frames, after two thirds of a second of warm-up.
  private static func series(_ load: FrameSeries) -> [Series] {
    let frames = Series(
      name: load.name,
      summary: load.summary,
      effort: Effort(warmUps: 40, samples: 120, operations: 1),
      placement: .anywhere,
      kind: .service
    )
    let companions = [
      ("stall", "how long the loop was away from its poll, each tick"),
      ("input", "from when a beat of 240 Hz was due to its delivery on the loop"),
      ("content", "from when a card was wanted to its picture"),
      ("cancel", "from cancelling what a worker draws to the worker being free"),
      ("stop", "how long of that the worker computed; the rest it was kept waiting"),
    ]
    return [frames]
      + companions.map { part, summary in
        Series(name: "\(load.name).\(part)", summary: summary, recordedWith: frames)
      }
  }

  private static let details = """
    A feed of cards in two columns of 320 points, 768 x 1024 points seen, at scale 3.5: each card a
    blurred cover, a picture, a gradient, a title, a text and a border in one bitmap of 10 MB. A clock
    of 60 Hz that waits for nobody has it scrolled; where to is a function of the time a frame was
    due. A refresh of the screen shows the newest frame that was done by then; one for which none
    was done is dropped.

      refresh   1        2        3        4        5        6
      loop      │scroll  │scroll, draw a card ────┐ │scroll  │
      frames    shown    shown    dropped  dropped  shown

    The load is r·c: cards that come into sight a second, times what a card takes one processor,
    which is measured first, in the feed, and followed from one turn of S0 to the next. At 0.72 a
    loop that draws by itself is left 17 to 30 frames of 60; `loop %` says how busy it was in truth.

    dropped    refreshes without a new frame; `busy` those while the loop's thread computed, the
               others had it wait for a processor
    1 % low    what the slowest 1 % of the frames come to, as frames a second
    stall      how long the loop was away from its poll, in a tick
    input      how late a beat of 240 Hz of an independent thread was delivered
    cancels    how often what a worker was drawing was cancelled; `p99` and `max` from then until
               the worker was free: no p99 of fewer than 100, in JSON no `cancelP99`
    own        how long of that the worker computed: the rest it was kept waiting, mostly for a
               processor; no p99 of fewer than 100, either (`stopP99`, `stopMax`)
    blank      cards that were seen without a picture, of all cards seen in all frames
    stale      cards that showed the picture of another: read from the picture itself
    pictures   how many came: of new cards, and of those drawn anew
    CPU/card   processor time of the process for a card that was shown; `waste` what part of it
               is beyond what those cards cost alone
    flight     the most MB of bitmaps in flight, the mean of the rounds; `run` operations at once

    LOOPBENCH_FRAMES_SCALE=2 in the environment makes it scale 2: 0.1 to 4 will do.
    """
}
