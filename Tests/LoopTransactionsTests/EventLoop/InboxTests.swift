import LoopTransactions
import TestSupport
import Testing

// I3, I4, I8, I9
@Suite("Inbox")
struct InboxTests {
  @Test("posts of one thread are taken in FIFO order")
  func order() {
    withInbox { inbox in
      for number in 1...500 { #expect(inbox.append(.numbered(number)) == .queued) }
      #expect(inbox.isFilled)
      #expect(inbox.takeAll() == Array(1...500))
    }
  }

  @Test("taking leaves the inbox empty")
  func takeEmpties() {
    withInbox { inbox in
      _ = inbox.append(.numbered(1))
      #expect(!inbox.sleep())
      #expect(inbox.takeAll() == [1])
      #expect(!inbox.isFilled)
      #expect(inbox.takeAll() == [])
      #expect(inbox.sleep())
    }
  }

  @Test("only the first post to a sleeping loop requests a wake")
  func firstWakes() {
    withInbox { inbox in
      for _ in 0..<3 {
        #expect(inbox.sleep())
        #expect(inbox.append(.numbered(1)) == .queuedAndWake)
        inbox.didSend()
        #expect(inbox.append(.numbered(2)) == .queued)
        #expect(!inbox.request(Inbox.stopWanted))
        #expect(inbox.claimRequest(Inbox.stopWanted))
        #expect(inbox.takeAll() == [1, 2])
      }
    }
  }

  @Test("a post to a loop that woke by itself sends no wake")
  func awake() {
    withInbox { inbox in
      #expect(inbox.sleep())
      inbox.awake()
      #expect(inbox.append(.numbered(1)) == .queued)
      #expect(!inbox.request(Inbox.wakeWanted))
    }
  }

  @Test("posts of four threads end each sleep with one wake, and no post is lost")
  func oneWakePerSleep() {
    withInbox { inbox in
      let posts = Interposed.isSanitized ? 500 : 5000
      let wakes = Tally()
      let shared = Smuggled(inbox)
      let threads = (0..<4).map { thread in
        TestThread {
          for number in 0..<posts {
            guard shared.value.append(.numbered(thread * posts + number)) == .queuedAndWake else {
              continue
            }
            wakes.increment()
            shared.value.didSend()
          }
        }
      }
      var (sleeps, taken) = (0, [Int]())
      while taken.count < 4 * posts {
        if inbox.sleep() {
          sleeps += 1
          guard inTime({ inbox.isFilled }) else { break }
        }
        taken += inbox.takeAll()
      }
      for thread in threads { thread.join() }
      #expect(wakes.value == sleeps)
      for thread in 0..<4 {
        let own = taken.filter { $0 / posts == thread }
        #expect(own == Array(thread * posts..<(thread + 1) * posts), "thread \(thread)")
      }
    }
  }

  @Test("a closed inbox refuses posts and wakes, and does not sleep")
  func closed() {
    withInbox { inbox in
      let mark = InboxMark()
      #expect(!inbox.isClosed)
      #expect(inbox.sleep())
      inbox.close()
      #expect(inbox.isClosed)
      #expect(inbox.append(.numbered(1)) == .refused)
      let marked = inbox.append(.numbered(2), unless: mark)
      #expect(marked == .refused)
      let isMarkSet = mark.join()
      #expect(!isMarkSet, "the mark must not be set by a refused item")
      #expect(!inbox.request(Inbox.wakeWanted))
      _ = inbox.claimRequest(Inbox.wakeWanted)
      #expect(!inbox.sleep())
      #expect(inbox.takeAll() == [])
    }
  }

  @Test("a closed inbox still returns the posts it accepted before")
  func closedWithPosts() {
    withInbox { inbox in
      _ = inbox.append(.numbered(1))
      inbox.close()
      #expect(inbox.takeAll() == [1])
    }
  }

  @Test("each request is taken once, independently of the other")
  func requests() {
    withInbox { inbox in
      #expect(!inbox.hasRequest)
      #expect(!inbox.request(Inbox.wakeWanted))
      #expect(inbox.hasRequest)
      #expect(!inbox.claimRequest(Inbox.stopWanted))
      #expect(!inbox.request(Inbox.stopWanted))
      #expect(inbox.claimRequest(Inbox.wakeWanted))
      #expect(!inbox.claimRequest(Inbox.wakeWanted))
      #expect(inbox.claimRequest(Inbox.stopWanted))
      #expect(!inbox.hasRequest)
    }
  }

  @Test("a loop with a pending request does not sleep, and needs no wake")
  func requestBeforeSleep() {
    withInbox { inbox in
      _ = inbox.request(Inbox.wakeWanted)
      #expect(!inbox.sleep())
      #expect(inbox.append(.numbered(1)) == .queued)
    }
  }

  @Test("only the first request to a sleeping loop requests a wake")
  func requestWakes() {
    withInbox { inbox in
      #expect(inbox.sleep())
      #expect(inbox.request(Inbox.wakeWanted))
      inbox.didSend()
      #expect(!inbox.request(Inbox.stopWanted))
      #expect(inbox.append(.numbered(1)) == .queued)
    }
  }

  @Test("posts are refused while the limit is reached, and accepted after a take")
  func full() {
    withInbox { inbox in
      inbox.setLimit(2)
      var batch = ItemBuffer()
      batch.setLimit(2)
      for _ in 0..<3 {
        #expect(inbox.append(.numbered(1)) == .queued)
        #expect(inbox.append(.numbered(2)) == .queued)
        #expect(inbox.append(.numbered(3)) == .refused)
        #expect(inbox.append(.job) == .queued)
        inbox.drain(into: &batch)
        let taken = batch.removeAll()
        #expect(taken == [1, 2, 0])
        batch.reset()
      }
      batch.free()
    }
  }

  @Test("a full inbox refuses without waking the loop, and a later accepted post wakes it")
  func fullAsleep() {
    withInbox { inbox in
      #expect(inbox.sleep())
      inbox.setLimit(0)
      #expect(inbox.append(.numbered(1)) == .refused)
      inbox.setLimit(1)
      #expect(inbox.append(.numbered(2)) == .queuedAndWake)
      inbox.didSend()
    }
  }

  @Test("an item with a mark is added unless an item with that mark is waiting")
  func marks() {
    withInbox { inbox in
      let mark = InboxMark()
      var outcomes = [inbox.append(.numbered(1), unless: mark)]
      outcomes.append(inbox.append(.numbered(2), unless: mark))
      #expect(inbox.takeAll() == [1])
      outcomes.append(inbox.append(.numbered(3), unless: mark))
      mark.clear()
      outcomes.append(inbox.append(.numbered(4), unless: mark))
      #expect(outcomes == [.queued, .joined, .joined, .queued])
      #expect(inbox.takeAll() == [4])
    }
  }

  @Test("a request wakes a sleeping loop even if another thread holds the lock")
  func requestMeetsLock() {  // L2, L6
    withInbox { inbox in
      #expect(inbox.sleep())
      let flags = inbox.word.lock()
      let mustSend = inbox.request(Inbox.wakeWanted)
      #expect(mustSend)
      if mustSend { inbox.didSend() }
      // As a commit that joins a waiting one, a refused post, or a new limit.
      inbox.word.unlock(flags)
      #expect(inbox.claimRequest(Inbox.wakeWanted))
    }
  }

  @Test(
    "close() and waitForSenders() wait for a wake in progress",
    .enabled(if: Interposed.isAvailable),
    arguments: [true, false]
  )
  func senders(closes: Bool) {
    withInbox { inbox in
      #expect(inbox.sleep())
      #expect(inbox.append(.numbered(1)) == .queuedAndWake)
      var isSent = false
      Interposed.before(.yield) {
        isSent = true
        inbox.didSend()
      } _: {
        if closes { inbox.close() } else { inbox.waitForSenders() }
      }
      #expect(isSent)
    }
  }

  @Test("an inbox that refuses gives back an item only if it is the oldest, and can accept again")
  func refuses() {  // C8, L2
    withInbox { inbox in
      #expect(inbox.sleep())
      #expect(inbox.append(.numbered(1)) == .queuedAndWake)
      #expect(inbox.append(.numbered(2)) == .queued)
      #expect(!inbox.refuse(reclaiming: .numbered(2)))
      #expect(inbox.refuse(reclaiming: .numbered(1)))
      inbox.didSend()
      #expect(inbox.append(.numbered(3)) == .refused)
      #expect(inbox.isFilled)
      #expect(inbox.refuse(reclaiming: .numbered(2)))
      #expect(!inbox.isFilled)
      #expect(!inbox.refuse(reclaiming: .numbered(2)))
      inbox.accept()
      #expect(inbox.append(.numbered(4)) == .queued)
      #expect(inbox.append(.numbered(5)) == .queued)
      #expect(inbox.refuse(reclaiming: .numbered(4)))
      #expect(inbox.takeAll() == [5])
    }
  }

  /// Calls `body` with an empty inbox and frees the inbox.
  private func withInbox(_ body: (Inbox) -> Void) {
    let inbox = Inbox()
    body(inbox)
    inbox.free()
  }
}

extension Inbox {
  /// Takes every item and returns their numbers.
  fileprivate func takeAll() -> [Int] {
    var items = ItemBuffer()
    drain(into: &items)
    defer { items.free() }
    return items.removeAll()
  }
}
