import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("Embedding: observers before the host waits")
struct EmbeddingObserverTests {
  /// The event that makes a turn due.
  enum Cause: CaseIterable, Sendable { case descriptor, timer, preciseTimer, post, foreignHandle }

  /// The last part of a turn that commits.
  enum Last: CaseIterable, Sendable { case callback, afterWaiting }

  @Test(
    "a plain observer is called once after the callbacks of a turn, and then the host may wait",
    arguments: Cause.allCases,
    [true, false]
  )  // L4, C5
  func afterCallbacks(cause: Cause, ownsLoop: Bool) throws {
    try withEmbeddedLoop(owns: ownsLoop) { loop, embedding in
      let trace = Trace()
      let event = try Event(cause, on: loop) { trace.record("\(cause)") }
      loop.addObserver(for: .beforeWaiting) { _ in trace.record("beforeWaiting") }
      embedding.settle()
      _ = trace.take()
      try event.send()
      embedding.host { trace.events.contains("\(cause)") }
      // A timer's turn may come a little early, and then calls only the observer.
      let events = trace.take().drop { $0 == "beforeWaiting" }
      #expect(events == ["\(cause)", "beforeWaiting"])
      // libuv 1.45 and newer call timers last, so the ended timer's handle is closed in a
      // further turn.
      if cause == .timer { embedding.settle() }
      #expect(embedding.nextTimeout == nil)
      #expect(!waitFor(embedding.pollDescriptor, .zero))
      event.end()
      embedding.settle()
    }
  }

  @Test("a turn without an event calls a plain observer once, and no further turn is due")
  func withoutEvent() throws {  // L4, L7, C5
    try withEmbeddedLoop(owns: true) { loop, embedding in
      let calls = Tally()
      loop.addObserver(for: .beforeWaiting) { _ in calls.increment() }
      for count in 1...10 {
        embedding.turn()
        #expect(calls.value == count)
        #expect(embedding.nextTimeout == nil)
      }
      #expect(loop.metrics.ticks == 10)
    }
  }

  @Test("interest that an observer assigns after a callback reaches the kernel before a wait")
  func interest() throws {  // E6, C5
    try withEmbeddedLoop(owns: true) { loop, embedding in
      let (trace, pair) = (Trace(), SocketPair())
      // Like a client library, which wants to write after it has read.
      var wantsToWrite = false
      let watcher = try loop.watch(pair.near, for: .readable) { events in
        if events.contains(.readable) {
          pair.receive()
          wantsToWrite = true
          trace.record("read")
        }
        if events.contains(.writable) {
          wantsToWrite = false
          trace.record("written")
        }
      }
      loop.addObserver(for: .beforeWaiting) { _ in
        watcher.events = wantsToWrite ? [.readable, .writable] : .readable
      }
      embedding.settle()
      for _ in 0..<3 {
        pair.send()
        embedding.host { trace.events.count == 2 }
        #expect(trace.take() == ["read", "written"])
        embedding.settle()
        #expect(!waitFor(embedding.pollDescriptor, .zero), "still polls for writing")
      }
      watcher.cancel()
    }
  }

  @Test(
    "commits of a callback are performed in its turn, and commits of the flush in the next",
    arguments: Last.allCases
  )  // L5, T3, T4
  func commits(last: Last) throws {
    try withEmbeddedLoop(owns: true) { loop, embedding in
      let trace = Trace()
      loop.addObserver(for: .beforeWaiting, order: .max) { _ in trace.record("last") }
      loop.addObserver(for: .beforeWaiting) { _ in trace.record("first") }
      let commit = { [unowned loop] in
        loop.commit { [unowned loop] in
          trace.record("performed")
          loop.commit { trace.record("next") }
        }
      }
      let pair = SocketPair()
      let watcher = try loop.watch(pair.near, for: .readable) { [unowned loop] _ in
        pair.receive()
        switch last {
        case .callback: commit()
        case .afterWaiting: loop.addObserver(for: .afterWaiting, repeats: false) { _ in commit() }
        }
      }
      embedding.settle()
      _ = trace.take()
      pair.send()
      embedding.turn()
      #expect(trace.take() == ["first", "performed", "last"])
      #expect(embedding.nextTimeout == .zero)
      embedding.turn()
      #expect(trace.take() == ["first", "next", "last"])
      #expect(embedding.nextTimeout == nil)
      watcher.cancel()
    }
  }

  @Test("stop() in a flush of a turn does not take the next turn's events")
  func stops() throws {  // C5, L8
    try withEmbeddedLoop(owns: true) { loop, embedding in
      let (pair, reads) = (SocketPair(), Tally())
      let watcher = try loop.watch(pair.near, for: .readable) { _ in
        pair.receive()
        reads.increment()
      }
      embedding.settle()
      loop.commit { [unowned loop] in loop.stop() }
      embedding.turn()
      #expect(embedding.nextTimeout == nil)
      pair.send()
      embedding.turn()
      #expect(reads.value == 1)
      watcher.cancel()
    }
  }

  @Test("the owner of an adopted loop, which runs it, waits only after a plain observer")
  func owners() throws {  // L4, C9
    try withAdoptedLoop { host, loop in
      let (trace, pair) = (Trace(), SocketPair())
      var watcher: DescriptorWatcher?
      watcher = try loop.watch(pair.near, for: .readable) { [unowned loop] _ in
        pair.receive()
        trace.record("read")
        loop.addTimer(after: .milliseconds(1)) { _ in
          trace.record("timer")
          watcher?.cancel()
        }
      }
      loop.addObserver(for: .beforeWaiting) { _ in trace.record("beforeWaiting") }
      host.run(.noWait)
      pair.send()
      host.run()
      let events = trace.events
      let read = try #require(events.firstIndex(of: "read"))
      #expect(events.dropFirst(read + 1).first == "beforeWaiting")
    }
  }

  /// Calls `body` with an embedded loop, which is its own or a host's.
  private func withEmbeddedLoop(
    owns: Bool,
    _ body: (EventLoop, Embedding) throws -> Void
  ) throws {
    func embedded(_ loop: EventLoop) throws {
      let embedding = Embedding(loop)
      defer { embedding.cancel() }
      try body(loop, embedding)
    }
    if owns {
      try withLoop { try embedded($0) }
    } else {
      try withAdoptedLoop { _, loop in try embedded(loop) }
    }
  }
}

/// An event of a loop that calls a closure.
private struct Event {
  private(set) var send: () throws -> Void
  private(set) var end: () -> Void = {}

  init(
    _ cause: EmbeddingObserverTests.Cause,
    on loop: EventLoop,
    _ body: @escaping @Sendable () -> Void
  ) throws {
    switch cause {
    case .descriptor:
      let pair = SocketPair()
      let watcher = try loop.watch(pair.near, for: .readable) { _ in
        pair.receive()
        body()
      }
      send = { pair.send() }
      end = { watcher.cancel() }
    case .timer:
      send = { loop.addTimer(after: .milliseconds(1)) { _ in body() } }
    case .preciseTimer:
      send = {
        let deadline = loop.now.advanced(by: .milliseconds(1))
        try loop.addPreciseTimer(at: deadline) { _ in body() }
      }
    case .post:
      let port = loop.port
      send = { TestThread.run { try? port.post(body) } }
    case .foreignHandle:
      let handle = ForeignHandle(.async, on: loop.libuvLoop) { _ in body() }
      handle.start()
      send = { handle.send() }
      end = { handle.close() }
    }
  }
}
