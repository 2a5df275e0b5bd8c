// A search field. Each change cancels the search for the text before it, so no old
// result is shown.
//
// Prints:
//   abc: abc, abcd

import LoopTransactions

// snippet.field
final class SearchField {
  private var search: AsyncTransaction?
  private let loop: EventLoop
  private let words = ["a", "ab", "abc", "abcd", "b"]

  init(on loop: EventLoop) { self.loop = loop }

  func type(_ text: String) {
    // Queued operations do not run, and all outcomes are `cancelled`.
    search?.cancel()
    let search = AsyncTransaction(on: loop, name: "search")
    search.add(priority: .high) { [words] operation in
      // A running operation ends early if it asks.
      words.filter { !operation.isCancelled && $0.hasPrefix(text) }
    } completion: { outcome in
      guard let found = outcome.value else { return }
      print("\(text):", found.joined(separator: ", "))
    }
    search.commit()
    self.search = search
  }
}
// snippet.end

let loop = try EventLoop()
let field = SearchField(on: loop)
for text in ["a", "ab", "abc"] { field.type(text) }
loop.run()
try loop.close()

// snippet.sentinel
// Without a transaction: a counter that all threads may read.
let requests = Sentinel()
let request = requests.advance()
@Sendable func isStale() -> Bool { requests.value != request }
// snippet.end
precondition(!isStale())
requests.advance()
precondition(isStale())
