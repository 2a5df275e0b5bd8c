/// Colours for a terminal. They repeat what a word says, and carry nothing of
/// their own.
struct Paint {
  let isOn: Bool

  /// `padded`, green or red if `cell` is a verdict for better or worse.
  func verdict(_ cell: String, _ padded: String) -> String {
    switch cell {
    case "faster", "improved": green(padded)
    case "slower", "regressed": red(padded)
    default: padded
    }
  }

  private func green(_ text: String) -> String { isOn ? "\u{1B}[32m\(text)\u{1B}[0m" : text }

  private func red(_ text: String) -> String { isOn ? "\u{1B}[31m\(text)\u{1B}[0m" : text }
}
