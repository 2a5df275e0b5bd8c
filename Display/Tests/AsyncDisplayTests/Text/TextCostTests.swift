import AsyncDisplay
import Foundation
import Testing

/// Measures the CPU time of text layout. With `LT_FIGURES=1` the suite prints
/// the figures that the documentation quotes.
@Suite("Cost of text")
struct TextCostTests {
  private func paragraph(_ count: Int) -> AttributedText {
    let words = "Nothing is set in lines before all of it is shaped "
    let text = String(repeating: words, count: count / words.utf8.count + 1).prefix(count)
    return AttributedText(String(text), TextAttributes(font: Font("DejaVu Sans", size: 14)))
  }

  /// Returns the CPU time of this thread to lay out `text`, in seconds. It is
  /// the lowest time of `times` runs.
  private func cost(of text: AttributedText, times: Int = 5) -> Double {
    var least = Double.infinity
    for _ in 0..<times {
      let start = Self.seconds
      _ = text.measure(TextStyle(), in: Size(width: 320, height: .infinity))
      least = min(least, Self.seconds - start)
    }
    return least
  }

  private static var seconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private func print(_ name: String, _ seconds: Double) {
    guard ProcessInfo.processInfo.environment["LT_FIGURES"] == "1" else { return }
    Swift.print(name, String(format: "%.2f ms", seconds * 1e3))
  }

  @Test("laying out a paragraph takes time proportional to its length")
  func paragraph() {
    let (short, long) = (cost(of: paragraph(1000)), cost(of: paragraph(8000)))
    print("1,000 characters", short)
    print("1,000 of 8,000 characters", long / 8)
    // The expected ratio is 8. The limit is higher because other load on the
    // machine adds noise.
    #expect(long < 32 * short, "\(short) \(long)")
  }

  @Test("only the first text layout on a thread loads fonts")
  func fonts() async {
    let text = paragraph(20)
    let figures: (first: Double, next: Double) = await withCheckedContinuation { continuation in
      Thread {
        let first = cost(of: text, times: 1)
        continuation.resume(returning: (first, cost(of: text)))
      }.start()
    }
    print("the first 20 characters", figures.first)
    print("the next 20 characters", figures.next)
    #expect(figures.first > figures.next)
  }
}
