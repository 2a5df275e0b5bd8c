import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Embedding: number of turns")
struct EmbeddingTurnTests {
  enum Kind: CaseIterable, Sendable { case post, commit }

  @Test(
    "each post or commit that arrives through the descriptor costs one turn",
    arguments: Kind.allCases,
    [true, false]
  )
  func oneTurnEach(kind: Kind, byOwnWake: Bool) throws {  // C5, L7
    try withLoop { loop in
      let (port, ran) = (loop.port, Tally())
      let embedding = Embedding(loop, wake: { byOwnWake })
      embedding.settle()
      let before = loop.metrics.ticks
      for round in 1...100 {
        TestThread.run {
          switch kind {
          case .post: try? port.post { ran.increment() }
          case .commit: try? port.commit(SharedAction { ran.increment() }, SharedAction.perform)
          }
        }
        #expect(waitFor(embedding.pollDescriptor, .zero) == !byOwnWake)
        embedding.turn()
        #expect(ran.value == round)
        #expect(embedding.nextTimeout == nil)
        #expect(!waitFor(embedding.pollDescriptor, .zero))
      }
      #expect(loop.metrics.ticks - before == 100)
      embedding.cancel()
    }
  }

  @Test("an event of a host's last prepare handle is handled before the observers of the turn")
  func inPrepareHandle() throws {  // C5, L4, L5
    let trace = Trace()
    let late = Smuggled(Late())
    try withAdoptedLoop { host in
      // This handle was started before the loop's own prepare handle, so libuv
      // calls it after that handle.
      late.value.handle = ForeignHandle(.prepare, on: host.address) { _ in late.value.run() }
      late.value.handle?.start()
    } _: { host, loop in
      let port = loop.port
      let embedding = Embedding(loop)
      loop.addObserver(for: .beforeWaiting) { _ in trace.record("beforeWaiting") }
      for isPost in [true, false] {
        let send: @Sendable () -> Void = {
          if isPost { try? port.post { trace.record("post") } } else { port.wake() }
        }
        embedding.settle()
        _ = trace.take()
        late.value.body = { TestThread.run(send) }
        embedding.turn()
        #expect(trace.take() == (isPost ? ["post"] : []) + ["beforeWaiting"])
        #expect(embedding.nextTimeout == nil, "post: \(isPost)")
      }
      embedding.cancel()
      late.value.handle?.close()
      late.value.handle = nil
    }
  }

  /// The body of a host's prepare handle, which runs once.
  private final class Late {
    var handle: ForeignHandle?
    var body: (() -> Void)?

    func run() {
      let body = body
      self.body = nil
      body?()
    }
  }
}
