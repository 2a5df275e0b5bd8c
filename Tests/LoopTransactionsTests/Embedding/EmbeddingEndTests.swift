import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Embedding: end")
struct EmbeddingEndTests {
  @Test("after an embedding has ended, the loop can be run and does not wait for the embedding")
  func ends() throws {  // C5
    try withLoop { loop in
      let embedding = Embedding(loop)
      embedding.settle()
      var performed = false
      loop.commit { performed = true }
      embedding.cancel()
      embedding.cancel()
      #expect(loop.run() == .finished)
      #expect(performed)
      // Closing the loop ends this embedding.
      Embedding(loop).turn()
    }
  }

  @Test("onEnd is called once, by cancel() or when the loop closes")  // C5, L11
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

  @Test(
    "after an embedding has ended, posts wake the owner of an adopted loop",
    arguments: [false, true]
  )  // C5, L6
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

  @Test("a post whose wake went to the host is performed by the owner if the embedding ends first")
  func adoptedEndsOwing() throws {  // C5, L6
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
      // Repeat while a call of the wake is in progress. `cancel()` waits for
      // that call.
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
