import LoopbenchKit

/// The figures that the `frames` scenario reports for each variant, in addition
/// to the times.
enum FrameFigures {
  static let all: [Figure] = [
    Figure("load", title: "r·c", digits: 2) { evidence in
      FrameSeries.all.first { $0.name == evidence.series }?.load
    },
    Figure("loopShare", title: "loop %", scale: 100) { evidence in
      guard let time = evidence.counts["loop ns"], let frames = evidence.counts["frames"] else {
        return nil
      }
      return Double(time) / (Double(frames) / FrameRun.framesPerSecond * 1e9)
    },
    Figure("frames", title: "frames") { $0.counts["frames"].map { Double($0) } },
    Figure("dropped", title: "dropped") { $0.counts["dropped"].map { Double($0) } },
    Figure("droppedRatio", title: "%", scale: 100, digits: 1) {
      $0.ratio("dropped", of: "frames")
    },
    Figure("droppedBusy", title: "busy") { $0.counts["dropped busy"].map { Double($0) } },
    Figure("onePercentLow", title: "1 % low/s", digits: 1) {
      $0.meanOfLargest(0.01).map { 1e9 / $0 }
    },
    Figure("longestJank", title: "longest ms", scale: 1e-6, digits: 1) { $0.largest() },
    // The p99 is omitted if there are too few samples to distinguish it from
    // the maximum.
    Figure("stallP99", title: "stall p99 ms", scale: 1e-6, digits: 2) {
      $0.value(at: .p99, of: "stall")
    },
    Figure("stallMax", title: "max", scale: 1e-6, digits: 1) { $0.largest(of: "stall") },
    Figure("inputP99", title: "input p99 ms", scale: 1e-6, digits: 1) {
      $0.value(at: .p99, of: "input")
    },
    Figure("cancels", title: "cancels") { $0.counts["stopped"].map { Double($0) } },
    Figure("cancelP99", title: "p99 ms", scale: 1e-6, digits: 2) {
      $0.value(at: .p99, of: "cancel")
    },
    Figure("cancelMax", title: "max", scale: 1e-6, digits: 1) { $0.largest(of: "cancel") },
    Figure("stopP99", title: "own p99", scale: 1e-6, digits: 2) { $0.value(at: .p99, of: "stop") },
    Figure("stopMax", title: "max", scale: 1e-6, digits: 1) { $0.largest(of: "stop") },
    Figure("blankRatio", title: "blank %", scale: 100, digits: 1) { $0.ratio("blank", of: "seen") },
    Figure("stale", title: "stale") { $0.counts["stale"].map { Double($0) } },
    Figure("pictures", title: "pictures") { $0.counts["pictures"].map { Double($0) } },
    Figure("cpuPerCard", title: "CPU/card ms", scale: 1e-6, digits: 1) {
      $0.ratio("process ns", of: "shown")
    },
    Figure("wastedCPU", title: "waste %", scale: 100) { $0.wasted },
    Figure("bitmapsInFlight", title: "flight MB", scale: 1e-6) { $0.perRound("peak bytes") },
    Figure("running", title: "run", digits: 1) { $0.perRound("running") },
  ]
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
