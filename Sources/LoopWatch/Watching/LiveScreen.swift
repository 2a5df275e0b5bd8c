internal import CLoopWatch
import LoopTransactions
import LoopbenchKit

/// Redraws a watch in the terminal once per second, and reads keys.
///
/// Loop only.
final class LiveScreen {
  private let watcher: Watcher
  private let title: String
  private let quit: () -> Void
  private var view = LiveView()
  private var frozen: WatchSummary?
  private var input: DescriptorWatcher?
  private var timer: LoopTimer?

  /// True if the standard streams are a terminal.
  static var isAvailable: Bool { Terminal.error.isInteractive && lw_terminal_is_input() }

  init(_ watcher: Watcher, title: String, quit: @escaping () -> Void) {
    (self.watcher, self.title, self.quit) = (watcher, title, quit)
  }

  func start(on loop: EventLoop) throws {
    lw_terminal_enter()
    // The alternate screen, without a cursor.
    show("\u{1b}[?1049h\u{1b}[?25l")
    input = try loop.watch(0, for: .readable) { [weak self] _ in self?.readKeys() }
    timer = loop.addTimer(after: .zero, every: .seconds(1)) { [weak self] _ in self?.draw() }
  }

  /// Gives the terminal back as it was.
  func stop() {
    input?.cancel()
    timer?.cancel()
    show("\u{1b}[?25h\u{1b}[?1049l")
    lw_terminal_leave()
  }

  private func readKeys() {
    var keys = [UInt8](repeating: 0, count: 32)
    let count = lw_terminal_read(&keys, keys.count)
    guard count > 0 else { return quit() }
    let rows = (frozen ?? watcher.liveSummary).shownRows.count
    switch view.press(keys.prefix(count), rows: rows) {
    case .quit: return quit()
    case .reset:
      watcher.reset()
      frozen = nil
    case nil: break
    }
    draw()
  }

  private func draw() {
    let summary = frozen ?? watcher.liveSummary
    frozen = view.isPaused ? summary : nil
    let (width, height) = (Terminal.error.width, Int(lw_terminal_height()))
    let lines = view.lines(
      summary,
      title: title,
      width: width,
      height: height
    )
    show("\u{1b}[H" + lines.joined(separator: "\u{1b}[K\r\n") + "\u{1b}[K\u{1b}[J")
  }

  private func show(_ text: String) {
    // try?: a closed terminal ends the watch by SIGHUP.
    try? Terminal.error.write(text)
  }
}
