import LoopbenchKit

/// The figures that the `frames` scenario reports for each variant, in addition
/// to the times.
enum FrameFigures {
  static let all: [Figure] = frames + times + cancels + pictures

  private static let frames: [Figure] = [
    Figure(
      "load",
      title: "r·c",
      summary: "the intended load: cards per second times CPU seconds per card",
      digits: 2
    ) { evidence in
      FrameSeries.all.first { $0.name == evidence.series }?.load
    },
    Figure("loopShare", title: "loop %", summary: "how busy the loop's thread was", scale: 100) {
      evidence in
      guard let time = evidence.counts["loop ns"], let frames = evidence.counts["frames"] else {
        return nil
      }
      return Double(time) / (Double(frames) / FrameRun.framesPerSecond * 1e9)
    },
    count("frames", title: "frames", summary: "refreshes of the screen"),
    count("dropped", title: "dropped", summary: "refreshes without a new frame"),
    Figure(
      "droppedRatio",
      title: "dropped %",
      summary: "the share of refreshes without a new frame",
      scale: 100,
      digits: 1
    ) { $0.ratio("dropped", of: "frames") },
    count(
      "droppedBusy",
      of: "dropped busy",
      title: "dropped busy",
      summary: "dropped while the loop's thread computed, not while it waited for a CPU"
    ),
  ]

  private static let times: [Figure] = [
    Figure(
      "onePercentLow",
      title: "1 % low/s",
      summary: "the mean of the slowest 1 % of the frames, as frames per second",
      digits: 1
    ) { $0.meanOfLargest(0.01).map { 1e9 / $0 } },
    milliseconds("longestJank", title: "longest ms", summary: "the longest time between frames") {
      $0.largest()
    },
    // The p99 is omitted if there are too few samples to distinguish it from
    // the maximum.
    milliseconds(
      "stallP99",
      title: "stall p99 ms",
      summary: "time in which the loop did not poll, per tick",
      digits: 2
    ) { $0.value(at: .p99, of: "stall") },
    milliseconds("stallMax", title: "stall max ms", summary: "the longest such time") {
      $0.largest(of: "stall")
    },
    milliseconds(
      "inputP99",
      title: "input p99 ms",
      summary: "how late a 240 Hz beat of another thread was delivered"
    ) { $0.value(at: .p99, of: "input") },
  ]

  private static let cancels: [Figure] = [
    count(
      "cancels",
      of: "stopped",
      title: "cancels",
      summary: "cards cancelled while a worker drew them; below 100 there is no p99"
    ),
    milliseconds(
      "cancelP99",
      title: "cancel p99 ms",
      summary: "from the cancellation until the worker was free",
      digits: 2
    ) { $0.value(at: .p99, of: "cancel") },
    milliseconds("cancelMax", title: "cancel max ms", summary: "the longest such time") {
      $0.largest(of: "cancel")
    },
    milliseconds(
      "stopP99",
      title: "own p99 ms",
      summary: "CPU time of the worker in that time; otherwise it waited, mostly for a CPU",
      digits: 2
    ) { $0.value(at: .p99, of: "stop") },
    milliseconds("stopMax", title: "own max ms", summary: "the largest such CPU time") {
      $0.largest(of: "stop")
    },
  ]

  private static let pictures: [Figure] = [
    Figure(
      "blankRatio",
      title: "blank %",
      summary: "visible cards without a picture, of all visible cards in all frames",
      scale: 100,
      digits: 1
    ) { $0.ratio("blank", of: "seen") },
    count("stale", title: "stale", summary: "cards that showed another card's picture"),
    count("pictures", title: "pictures", summary: "pictures displayed, of new and redrawn cards"),
    milliseconds("cpuPerCard", title: "CPU/card ms", summary: "CPU time of the process per card") {
      $0.ratio("process ns", of: "shown")
    },
    Figure(
      "wastedCPU",
      title: "waste %",
      summary: "CPU time beyond the cost of the cards shown",
      scale: 100
    ) { $0.wasted },
    Figure(
      "bitmapsInFlight",
      title: "flight MB",
      summary: "bitmaps in flight at the peak, as the mean of the rounds",
      scale: 1e-6
    ) { $0.perRound("peak bytes") },
    Figure(
      "running",
      title: "run",
      summary: "operations running at the same time",
      digits: 1
    ) { $0.perRound("running") },
  ]

  private static func count(
    _ name: String,
    of counter: String? = nil,
    title: String,
    summary: String
  ) -> Figure {
    Figure(name, title: title, summary: summary) {
      $0.counts[counter ?? name].map { Double($0) }
    }
  }

  private static func milliseconds(
    _ name: String,
    title: String,
    summary: String = "",
    digits: Int = 1,
    value: @escaping @Sendable (Figure.Evidence) -> Double?
  ) -> Figure {
    Figure(name, title: title, summary: summary, scale: 1e-6, digits: digits, value: value)
  }
}

extension Figure.Evidence {
  /// The fraction of CPU time that was not spent on cards that were shown.
  fileprivate var wasted: Double? {
    guard let all = counts["process ns"], let shown = counts["shown"], all > 0,
      let card = perRound("card ns")
    else { return nil }
    return max(0, 1 - Double(shown) * card / Double(all))
  }
}
