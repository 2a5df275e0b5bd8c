import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("An embedding that ends")
struct EmbeddingEndTests {
  @Test("ended, the loop can be run again, and does not wait for the embedding")  // C5
  func ends() throws {
    try withLoop { loop in
      let embedding = Embedding(loop)
      embedding.settle()
      var performed = false
      loop.commit { performed = true }
      embedding.cancel()
      embedding.cancel()
      #expect(loop.run() == .finished)
      #expect(performed)
      // Closing the loop ends this one.
      Embedding(loop).turn()
    }
  }

  @Test("its host is told once that it has ended, by cancel() or by the loop's closing")  // C5, L11
  func endIsTold() throws {
    let trace = Trace()
    try withLoop { loop in
      let first = Embedding(loop) {
        trace.record("changed")
      } onEnd: { [unowned loop] in
        trace.record("ended, \(loop.run(.noWait))")
      }
      loop.commit {}
      first.cancel()
      first.cancel()
      _ = Embedding(loop, onEnd: { trace.record("closed") })
      #expect(trace.take() == ["changed", "ended, finished"])
    }
    #expect(trace.events == ["closed"])
  }

  @Test("ended, an adopted loop's owner is woken by posts", arguments: [false, true])  // C5, L6
  func adoptedEnds(hasTurned: Bool) throws {
    try withAdoptedLoop { host, loop in
      let (port, ran) = (loop.awaitedPort, Tally())
      let embedding = Embedding(loop)
      if hasTurned { embedding.turn() }
      embedding.cancel()
      TestThread.run { try? port.post { ran.increment() } }
      #expect(host.wait())
      host.run(.noWait)
      #expect(ran.value == 1)
      withExtendedLifetime(port) {}
    }
  }

  @Test("what came by the host's own wake, and was not turned for, is due to the owner")  // C5, L6
  func adoptedEndsOwing() throws {
    try withAdoptedLoop { host, loop in
      let (port, ran, wakes, ends) = (loop.awaitedPort, Tally(), Tally(), Gate())
      let embedding = Embedding(loop, wake: { wakes.increment() > 0 })
      embedding.turn()
      TestThread.run { try? port.post { ran.increment() } }
      #expect(wakes.value == 1)
      embedding.cancel()
      #expect(host.wait())
      host.run(.noWait)
      #expect(ran.value == 1)
      // And one that is on its way, for which `cancel()` waits.
      let next = Embedding(
        loop,
        wake: {
          ends.open()
          spin(for: .milliseconds(20))
          return wakes.increment() > 0
        }
      )
      next.turn()
      let thread = TestThread { try? port.post { ran.increment() } }
      #expect(ends.waitInTime())
      next.cancel()
      #expect(wakes.value == 2)
      #expect(host.wait())
      host.run(.noWait)
      #expect(ran.value == 2)
      thread.join()
    }
  }
}
