import AsyncDisplay
import Foundation
import Testing

/// What setting text takes, in time that its thread computed. With `LT_FIGURES=1` the
/// figures are printed that the documentation quotes.
@Suite("Cost of text")
struct TextCostTests {
  private func paragraph(_ count: Int) -> AttributedText {
    let words = "Nothing is set in lines before all of it is shaped "
    let text = String(repeating: words, count: count / words.utf8.count + 1).prefix(count)
    return AttributedText(String(text), TextAttributes(font: Font("DejaVu Sans", size: 14)))
  }

  /// Seconds that this thread computes to set `text`, the least of a few.
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

  // D-31
  @Test("a paragraph, which is set in one step, takes as long as it has characters, no longer")
  func paragraph() {
    let (short, long) = (cost(of: paragraph(1000)), cost(of: paragraph(8000)))
    print("1,000 characters", short)
    print("1,000 of 8,000 characters", long / 8)
    // 8, were it not for what the machine does beside.
    #expect(long < 32 * short, "\(short) \(long)")
  }

  @Test("the first text that a thread sets loads fonts, those after it do not")
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
