import LoopTransactions
import Testing

// I9
@Suite("ItemBuffer")
struct ItemBufferTests {
  /// Calls `body` with an empty buffer and frees the buffer.
  private func withBuffer(_ body: (inout ItemBuffer) -> Void) {
    var buffer = ItemBuffer()
    body(&buffer)
    buffer.free()
  }

  @Test("items are removed in FIFO order, however often the buffer grew")
  func growth() {
    withBuffer { buffer in
      for number in 1...1000 { #expect(buffer.append(.numbered(number)) == true) }
      #expect(buffer.remaining == 1000)
      #expect(buffer.removeAll() == Array(1...1000))
      #expect(buffer.remaining == 0)
    }
  }

  @Test("items may be appended between two removals")
  func cursor() {
    withBuffer { buffer in
      var left: [Int] = []
      for round in 0..<300 {
        buffer.append(.numbered(2 * round))
        buffer.append(.numbered(2 * round + 1))
        left.append(buffer.removeFirst().number)
        #expect(buffer.remaining == round + 1)
      }
      #expect(left + buffer.removeAll() == Array(0..<600))
    }
  }

  @Test("memory of a burst is freed after 16 small batches; memory for 1,024 items is kept")
  func givesBack() {
    withBuffer { buffer in
      let smallest = buffer.allocated
      for (burst, kept) in [(1024, 1024), (1025, smallest), (100_000, smallest)] {
        buffer.takeBatch(of: burst)
        let large = buffer.allocated
        #expect(large >= burst)
        for batch in 0..<16 {
          #expect(buffer.allocated == large, "before batch \(batch) after \(burst) items")
          buffer.takeBatch(of: 256)
        }
        #expect(buffer.allocated == kept, "after \(burst) items")
        buffer.takeBatch(of: 1)
      }
    }
  }

  @Test("batches that need more than a quarter of the memory keep it")
  func keeps() {
    withBuffer { buffer in
      buffer.takeBatch(of: 4096)
      for _ in 0..<10 {
        for _ in 0..<15 { buffer.takeBatch(of: 1024) }
        buffer.takeBatch(of: 1025)
      }
      #expect(buffer.allocated == 4096)
    }
  }

  @Test("memory for more than 131,072 items is freed at once")
  func givesBackAtOnce() {
    withBuffer { buffer in
      let smallest = buffer.allocated
      for (burst, kept) in [(131_072, 131_072), (131_073, smallest)] {
        buffer.takeBatch(of: burst)
        #expect(buffer.allocated == kept, "after \(burst) items")
      }
    }
  }

  @Test("a buffer that was reset accepts as many items as a new one")
  func reset() {
    withBuffer { buffer in
      for _ in 0..<3 {
        for number in 0..<2000 { buffer.append(.numbered(number)) }
        #expect(buffer.removeAll() == Array(0..<2000))
        buffer.reset()
        #expect(buffer.count == 0 && buffer.remaining == 0)
      }
    }
  }

  @Test("beginsWithJob is true only while a job is the oldest item")
  func beginsWithJob() {
    withBuffer { buffer in
      #expect(!buffer.beginsWithJob)
      buffer.append(.numbered(1))
      buffer.append(.job)
      #expect(!buffer.beginsWithJob)
      _ = buffer.removeFirst()
      #expect(buffer.beginsWithJob)
      _ = buffer.removeFirst()
      #expect(!buffer.beginsWithJob)
      // The buffer's memory still holds the job.
      buffer.reset()
      buffer.append(.numbered(2))
      _ = buffer.removeFirst()
      #expect(!buffer.beginsWithJob)
    }
  }

  @Test(
    "posts are refused at the limit, below and above the initial capacity",
    arguments: [2, 300]
  )
  func limit(limit: Int) {
    withBuffer { buffer in
      buffer.setLimit(limit)
      for _ in 0..<2 {
        for number in 0..<limit { #expect(buffer.append(.numbered(number)) == true) }
        #expect(buffer.append(.numbered(-1)) == false)
        #expect(buffer.removeAll() == Array(0..<limit))
        buffer.reset()
      }
    }
  }

  @Test("items that cannot be refused exceed the limit, and later posts are still refused")
  func unrefusable() {
    withBuffer { buffer in
      buffer.setLimit(1)
      buffer.append(.numbered(1))
      for _ in 0..<300 {
        #expect(buffer.append(.job) == true)
        #expect(buffer.append(.numbered(2)) == false)
      }
      #expect(buffer.count == 301)
      _ = buffer.removeAll()
    }
  }

  @Test("a limit below the number of waiting items keeps them, and a raised limit accepts more")
  func laterLimit() {
    withBuffer { buffer in
      for number in 0..<10 { buffer.append(.numbered(number)) }
      buffer.setLimit(3)
      #expect(buffer.append(.numbered(10)) == false)
      buffer.setLimit(11)
      #expect(buffer.append(.numbered(10)) == true)
      #expect(buffer.append(.numbered(11)) == false)
      #expect(buffer.removeAll() == Array(0...10))
    }
  }
}
