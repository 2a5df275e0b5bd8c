/// Finds the spans that overlap a window.
struct RangeIndex {
  /// A span of the content and the index of the item that occupies it.
  struct Span {
    let start: Double
    let end: Double
    let item: Int

    init(start: Double, end: Double, item: Int) {
      (self.start, self.end, self.item) = (start, end, item)
    }
  }

  // Sorted by the start of the spans.
  private let spans: [Span]
  // The largest end of all spans up to each index. Ascending, for binary
  // search.
  private let reaches: [Double]

  /// Creates an index of `spans`, which may be in any order.
  ///
  /// - Complexity: O(n log n).
  init(_ spans: [Span]) {
    self.spans = spans.sorted { ($0.start, $0.item) < ($1.start, $1.item) }
    var reach = -Double.infinity
    reaches = self.spans.map { span in
      reach = max(reach, span.end)
      return reach
    }
  }

  /// Calls `body` with each span that starts before `end` and ends after
  /// `start`.
  ///
  /// - Complexity: O(log n), plus O(1) for each span from the first span that
  ///   reaches the window.
  func forEach(from start: Double, to end: Double, _ body: (Span) -> Void) {
    var (low, high) = (0, spans.count)
    while low < high {
      let middle = (low + high) / 2
      if reaches[middle] > start { high = middle } else { low = middle + 1 }
    }
    while low < spans.count, spans[low].start < end {
      if spans[low].end > start { body(spans[low]) }
      low += 1
    }
  }
}
