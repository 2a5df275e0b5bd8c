import CUV
import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

@Suite("DescriptorWatcher at a hang-up, an error, or a closed descriptor")
struct DescriptorEndTests {
  @Test("a watcher that ignores a hang-up is called once, and then run() returns")  // E1
  func ignored() throws {
    let cases: [(DescriptorEvents, Bool)] = [
      (.readable, false), (.writable, false), (.hangUp, false), ([.readable, .writable], false),
      (.readable, true), (.hangUp, true),
    ]
    for (events, isPipe) in cases {
      try withLoop { loop in
        let (pair, trace) = (SocketPair(pipe: isPipe), Trace())
        pair.closeFar()
        let watcher = try loop.watch(pair.near, for: events) { trace.record("\($0)") }
        #expect(loop.runInTime() == .finished, "\(events)")
        #expect(trace.events == ["\(events.union(.hangUp))"])
        #expect(watcher.isActive)
        // The same request again changes nothing.
        watcher.events = events
        #expect(loop.runInTime() == .finished)
        #expect(trace.events.count == 1)
        watcher.cancel()
      }
    }
  }

  @Test("each watcher of a descriptor is notified of the hang-up once")  // E1
  func each() throws {
    try withLoop { loop in
      let (pair, trace) = (SocketPair(), Trace())
      pair.closeFar()
      let first = try loop.watch(pair.near, for: .readable) { trace.record("first \($0)") }
      #expect(loop.runInTime() == .finished)
      let second = try loop.watch(pair.near, for: .writable) { trace.record("second \($0)") }
      #expect(loop.runInTime() == .finished)
      #expect(trace.events == ["first [readable, hangUp]", "second [writable, hangUp]"])
      first.events = .hangUp
      #expect(loop.runInTime() == .finished)
      #expect(trace.events.count == 3)
      first.cancel()
      second.cancel()
    }
  }

  @Test("a reader gets all data before the hang-up, however slowly it reads")  // E1
  func dataFirst() throws {
    for isPipe in [false, true] {
      try withLoop { loop in
        let (pair, trace) = (SocketPair(pipe: isPipe), Trace())
        pair.send(10)
        pair.closeFar()
        let watcher = try loop.watch(pair.near, for: [.readable, .hangUp]) {
          trace.record("\($0) \(pair.receive(4))")
        }
        #expect(loop.runInTime() == .finished)
        #expect(
          trace.events == [
            "[readable] 4", "[readable] 4", "[readable] 2", "[readable, hangUp] 0",
          ]
        )
        watcher.cancel()
      }
    }
  }

  @Test("a half-close ends reading once; writing goes on")  // E1
  func halfClose() throws {
    try withLoop { loop in
      let (pair, trace) = (SocketPair(), Trace())
      pair.endSending()
      let reader = try loop.watch(pair.near, for: .readable) { trace.record("\($0)") }
      let writer = try loop.watch(pair.near, for: .writable) { trace.record("\($0)") }
      for _ in 0..<3 { loop.run(.noWait) }
      let write = "[writable]"
      #expect(trace.events == ["[readable, hangUp]", write, write, write])
      pair.closeFar()
      loop.run(.noWait)
      #expect(trace.events.suffix(1) == ["[writable, hangUp]"])
      #expect(loop.runInTime() == .finished)
      reader.cancel()
      writer.cancel()
    }
  }

  @Test("an error is reported once, with the events that let the caller find it")  // E1
  func error() throws {
    try withLoop { loop in
      let (pair, trace) = (SocketPair(pipe: true), Trace())
      pair.closeNear()
      let watcher = try loop.watch(pair.far, for: .writable) { trace.record("\($0)") }
      #expect(loop.runInTime() == .finished)
      #expect(trace.events == ["[writable, error]"])
      watcher.cancel()
    }
  }

  @Test("watch() throws for a descriptor that is closed or cannot be polled")  // E1
  func refused() throws {
    try withLoop { loop in
      for descriptor: Int32 in [-1, 1_000_000] {
        #expect(throws: UVError(code: UV_EBADF.rawValue, operation: "EventLoop.watch")) {
          try loop.watch(descriptor, for: .readable) { _ in }
        }
      }
      let file = SocketPair.openRegularFile()
      defer { SocketPair.close(file) }
      #expect(throws: UVError(code: UV_EPERM.rawValue, operation: "EventLoop.watch")) {
        try loop.watch(file, for: .readable) { _ in }
      }
      #expect(loop.run() == .finished)
    }
  }

  @Test("a descriptor that was closed before a change is reported, and its watcher ends")  // E1
  func closedBeforeChange() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let (pair, trace) = (SocketPair(), Trace())
        let watcher = try loop.watch(pair.near, for: .readable) { trace.record("\($0)") }
        loop.run(.noWait)
        pair.closeNear()
        watcher.events = .writable
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["[error]"])
        #expect(!watcher.isActive)
      }
    }
    #expect(said(result, "was closed while it was watched; call DescriptorWatcher.cancel()"))
  }

  @Test("a descriptor that was closed before the first wait does not end the process")  // E1
  func closedBeforeWait() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let (pair, trace) = (SocketPair(), Trace())
        try loop.watch(pair.near, for: .readable) { trace.record("\($0)") }
        pair.closeNear()
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["[error]"])
      }
    }
  }

  @Test("a descriptor that is closed just before the poll does not end the process")  // E1
  func closedBeforePoll() async {
    await #expect(processExitsWith: .success) {
      try withLoop { loop in
        let (pair, file, trace) = (SocketPair(), SocketPair.openRegularFile(), Trace())
        let watcher = try loop.watch(pair.near, for: .readable) { trace.record("\($0)") }
        // After the observer that applies the interest, as another thread might.
        loop.addObserver(for: .beforeWaiting, order: .max, repeats: false) { _ in pair.closeNear() }
        #expect(loop.run(.noWait) == .ticked)
        #expect(trace.events == [])
        // A descriptor that cannot be polled gets the number.
        dup2(file, watcher.descriptor)
        watcher.events = .writable
        #expect(loop.runInTime() == .finished)
        #expect(trace.events == ["[error]"] && !watcher.isActive)
      }
    }
  }

  @Test("a watched descriptor that was reused ends the old watchers, not the new one")  // E1
  func reused() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let (old, new, trace) = (SocketPair(), SocketPair(), Trace())
        let first = try loop.watch(old.near, for: .readable) { trace.record("old \($0)") }
        loop.run(.noWait)
        new.replace(old.near)
        let second = try loop.watch(old.near, for: .readable) { trace.record("new \($0)") }
        SocketPair.write(1, to: new.near)
        loop.run(.noWait)
        #expect(trace.events == ["old [error]", "new [readable]"])
        #expect(!first.isActive)
        second.cancel()
      }
    }
    #expect(said(result, "was closed while it was watched"))
  }

  @Test("cancelling the watcher of a closed descriptor reports it")  // E1
  func cancelledAfterClose() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let pair = SocketPair()
        let watcher = try loop.watch(pair.near, for: .readable) { _ in }
        loop.run(.noWait)
        pair.closeNear()
        watcher.cancel()
        #expect(loop.runInTime() == .finished)
      }
    }
    #expect(said(result, "was closed while it was watched"))
  }

  @Test("a lost descriptor is reported once, also if its watcher is cancelled before the wait")
  func reportedOnce() async {  // E1
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let (old, new) = (SocketPair(), SocketPair())
        let first = try loop.watch(old.near, for: .readable) { _ in Issue.record("called") }
        loop.run(.noWait)
        new.replace(old.near)
        let second = try loop.watch(old.near, for: .readable) { _ in }
        first.cancel()
        second.cancel()
        #expect(loop.runInTime() == .finished)
      }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.split(separator: "was closed while it was watched").count == 2)
  }

  @Test("an event that the tick received for a closed descriptor does not reach its successor")
  func receivedBefore() throws {  // E1
    try withLoop { loop in
      let (pairs, fresh, trace) = ([SocketPair(), SocketPair()], SocketPair(), Trace())
      var watchers: [DescriptorWatcher] = []
      for number in 0..<2 {
        let watcher = try loop.watch(pairs[number].near, for: .readable) { _ in
          trace.record("called")
          let other = 1 - number
          watchers[other].cancel()
          fresh.replace(pairs[other].near)
          let new = try? loop.watch(pairs[other].near, for: .readable) { _ in
            trace.record("reused")
            loop.stop()
          }
          if let new { watchers[other] = new }
          pairs[number].receive()
        }
        watchers.append(watcher)
        pairs[number].send()
      }
      for _ in 0..<3 { loop.run(.noWait) }
      #expect(trace.events == ["called"])
      SocketPair.write(1, to: fresh.near)
      #expect(loop.runInTime() == .stopped)
      #expect(trace.events == ["called", "reused"])
      for watcher in watchers { watcher.cancel() }
    }
  }

  @Test("a watcher goes on after its callback has read the error")  // E1
  func clearedError() throws {
    try withLoop { loop in
      let (datagrams, trace) = (try Datagrams(), Trace())
      let watcher = try loop.watch(datagrams.receiver, for: .readable) { events in
        trace.record("\(events) \(SocketPair.read(64, from: datagrams.receiver))")
        loop.stop()
      }
      datagrams.fail()
      #expect(loop.runInTime() == .stopped)
      #expect(trace.events == ["[readable, error] -1"])
      try datagrams.send(3)
      #expect(loop.runInTime() == .stopped)
      #expect(trace.events.last == "[readable] 3")
      // It is not taken for half-closed.
      watcher.events = [.readable, .writable]
      #expect(loop.runInTime() == .stopped)
      #expect(trace.events.last == "[writable] -1")
      watcher.cancel()
    }
  }

  @Test("a descriptor that other code polls on the libuv loop is refused, at the latest by a tick")
  func polledByOthers() async {  // E1, E5
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withLoop { loop in
        let (pair, trace) = (SocketPair(), Trace())
        let watcher = try loop.watch(pair.near, for: .readable) { trace.record("\($0)") }
        let other = RawPoll(pair.near, on: loop.libuvLoop)
        other.start()
        #expect(loop.run(.noWait) == .ticked)
        #expect(trace.events == ["[error]"] && !watcher.isActive)
        #expect(throws: UVError(code: UV_EEXIST.rawValue, operation: "EventLoop.watch")) {
          try loop.watch(pair.near, for: .readable) { _ in }
        }
        other.close()
      }
    }
    #expect(said(result, "file already exists (EEXIST); descriptor"))
  }
}

/// A `uv_poll_t` of the program.
private final class RawPoll {
  private let handle = UnsafeMutablePointer<uv_poll_t>.allocate(capacity: 1)

  init(_ descriptor: Int32, on loop: UnsafeMutableRawPointer) {
    uv_poll_init(loop.assumingMemoryBound(to: uv_loop_t.self), handle, descriptor)
  }

  func start() { uv_poll_start(handle, Int32(UV_READABLE.rawValue)) { _, _, _ in } }

  /// The loop's next tick frees the handle.
  func close() {
    let base = UnsafeMutableRawPointer(handle).assumingMemoryBound(to: uv_handle_t.self)
    uv_close(base) { UnsafeMutableRawPointer($0)?.deallocate() }
  }
}
