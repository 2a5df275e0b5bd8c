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
      summary: "r·c = 0.72, with jumps: all cards that are being drawn are cancelled",
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
    figures: FrameFigures.all,
    // Measuring the cost of a card took 3.1 s beside a busy process.
    preparationNs: 3_500_000_000
  )

  // A turn of the standard series takes 1.3 s, so that a run without options has the
  // rounds that a verdict needs. A turn of another series takes 2.7 s, because the scroll
  // turns round each second.
  private static func series(_ load: FrameSeries) -> [Series] {
    let isStandard = load.name == FrameSeries.all[0].name
    let frames = Series(
      name: load.name,
      summary: load.summary,
      workload: isStandard
        ? Workload(warmUps: 20, samples: 60, operations: 1)
        : Workload(warmUps: 40, samples: 120, operations: 1),
      placement: .anywhere,
      kind: .service,
      // One, because a turn of each variant takes seconds.
      isStandard: isStandard,
      operationNs: UInt64(1e9 / FrameRun.framesPerSecond)
    )
    let companions = [
      ("stall", "time in which the loop did not poll, per tick"),
      ("input", "time from the due time of a 240 Hz beat to its delivery on the loop"),
      ("content", "time from the request of a card until its picture is drawn"),
      ("cancel", "time from the cancellation of a card until its worker is free"),
      ("stop", "CPU time of the worker from the cancellation until it is free"),
    ]
    return [frames]
      + companions.map { part, summary in
        Series(name: "\(load.name).\(part)", summary: summary, recordedWith: frames)
      }
  }

  private static let details = """
    A feed of cards in two columns of 320 points, with 768 x 1024 points visible, at scale 3.5.
    A card is one bitmap of 10 MB, with a blurred cover, a picture, a gradient, a title, a text
    and a border. A fixed 60 Hz clock scrolls the feed. The position is a function of the time at
    which a frame is due. A refresh of the screen shows the newest frame that is finished at that
    time. A refresh without a new frame is counted as dropped.

      refresh   1        2        3        4        5        6
      loop      │scroll  │scroll, draw a card ────┐ │scroll  │
      frames    shown    shown    dropped  dropped  shown

    The load is r·c: the number of cards that come into view per second, multiplied by the CPU
    seconds of one card. The cost of a card is first measured in the feed, and then adjusted after
    each turn of S0. At a load of 0.72, a loop that draws the cards itself shows 17 to 30 of 60
    frames.

    A run measures the series `tutorial` of S0 and A4, in less than 40 s, with 7 rounds. S0 draws
    each card on the loop when it is requested. A4 draws cards on workers before they come into
    view. S0.again is S0 measured again, which shows the noise. Name other variants with -p and
    other series with --series; each may be `all`. A turn of a variant takes 1.3 s in `tutorial`
    and 2.7 s in each other series. `loopbench-frames film` draws every refresh.

    Set LOOPBENCH_FRAMES_SCALE=2 in the environment for scale 2. Valid values are 0.1 to 4.
    """
}
