import CardFeed
public import LoopbenchKit

/// A load of the feed.
struct FrameSeries: Sendable {
  let name: String
  /// The number of cards per second multiplied by the CPU seconds per card.
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
      summary: "r·c = 0.72, turning round each second: cards leave and return",
      script: { .turning(pointsPerSecond: $0) }
    ),
    FrameSeries(
      name: "jumping",
      load: 0.72,
      summary: "r·c = 0.72, by jumps: all work under way is cancelled",
      script: { .jumping(pointsPerSecond: $0) }
    ),
    FrameSeries(
      name: "invalidate",
      load: 0,
      summary: "r·c = 0: nothing scrolls, and every card is redrawn in every frame",
      invalidates: true,
      script: { _ in .still }
    ),
  ]
}

/// The scenario that measures the frames of a card feed at a given load.
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

  // A slice consists of two thirds of a second of warm-up and two seconds of
  // recorded frames.
  private static func series(_ load: FrameSeries) -> [Series] {
    let frames = Series(
      name: load.name,
      summary: load.summary,
      effort: Effort(warmUps: 40, samples: 120, operations: 1),
      placement: .anywhere,
      kind: .service
    )
    let companions = [
      ("stall", "how long the loop was away from its poll, per tick"),
      ("input", "from when a beat at 240 Hz was due to its delivery on the loop"),
      ("content", "from when a card was wanted to its picture"),
      ("cancel", "from cancelling a card until the worker that draws it is free"),
      ("stop", "how long the worker computed in that time; otherwise it waited"),
    ]
    return [frames]
      + companions.map { part, summary in
        Series(name: "\(load.name).\(part)", summary: summary, recordedWith: frames)
      }
  }

  private static let details = """
    A feed of cards in two columns of 320 points, with 768 x 1024 points visible, at scale 3.5.
    A card is a blurred cover, a picture, a gradient, a title, a text and a border in one bitmap
    of 10 MB. A fixed 60 Hz clock scrolls it: the position is a function of the time a frame was
    due. A refresh of the screen shows the newest frame that is done by then. A refresh without
    a new frame is counted as dropped.

      refresh   1        2        3        4        5        6
      loop      │scroll  │scroll, draw a card ────┐ │scroll  │
      frames    shown    shown    dropped  dropped  shown

    The load is r·c: cards that come into view per second, times the processor seconds of a card.
    The cost of a card is first measured in the feed, and then adjusted after each turn of S0.
    At 0.72 a loop that draws the cards itself shows 17 to 30 of 60 frames. `loop %` reports how
    busy it really was.

    dropped    refreshes without a new frame; `busy` counts those during which the loop's thread
               was computing; otherwise it waited for a processor
    1 % low    the mean of the slowest 1 % of the frames, as frames per second
    stall      how long the loop was away from its poll, per tick
    input      how late a 240 Hz beat of an independent thread was delivered
    cancels    cards cancelled while a worker drew them; `p99` and `max` are from then until the
               worker was free; with fewer than 100 there is no p99 (in JSON no `cancelP99`)
    own        how long the worker computed in that time; otherwise it waited, mostly for a
               processor; with fewer than 100 there is no p99 (`stopP99`, `stopMax`)
    blank      visible cards without a picture, of all visible cards in all frames
    stale      cards that showed another card's picture, as read from the pixels
    pictures   pictures displayed, of new and of redrawn cards
    CPU/card   processor time of the process per card shown; `waste` is the fraction beyond the
               cost of those cards alone
    flight     peak MB of bitmaps in flight, as the mean of the rounds; `run`: operations running
               at the same time

    Set LOOPBENCH_FRAMES_SCALE=2 in the environment for scale 2. Valid values are 0.1 to 4.
    """
}
