import LoopbenchKit

/// One line on standard error that says how far the run is, on a terminal only.
struct ProgressLine {
  private let isShown = Terminal.error.isInteractive

  func show(_ progress: Progress) {
    guard isShown else { return }
    let round = progress.rounds.map { "round \(progress.round)/\($0)" } ?? "warming up"
    let left = progress.remainingNs.map { ", \($0 / 1_000_000_000) s left" } ?? ""
    write("\r\u{1B}[2K\(round)\(left)  \(progress.contender)")
  }

  func clear() {
    guard isShown else { return }
    write("\r\u{1B}[2K")
  }

  private func write(_ text: String) {
    // A terminal that went away must not end a measurement.
    try? Terminal.error.write(text)
  }
}
