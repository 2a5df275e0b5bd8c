import LoopTransactions
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite("Objects that the loop retains", .serialized)
struct RetentionTests {
  @Test("an object without other references lives until it is cancelled", arguments: Kept.allCases)
  func cancelled(kind: Kept) async {  // L14
    await #expect(processExitsWith: .success) { [kind] in
      try withLoop { loop in
        let (pair, object) = (SocketPair(), Reference())
        try object.hold { try kind.make(on: loop, pair) }
        // An embedded loop cannot be run, and the child may have ended.
        if kind != .embedding, kind != .child { loop.run(.noWait) }
        #expect(object.isAlive)
        object.use(kind.cancel)
        // Closes libuv's handle.
        loop.run(.noWait)
        #expect(!object.isAlive)
      }
    }
  }

  @Test("an object without other references lives until the loop closes", arguments: Kept.allCases)
  func closed(kind: Kept) async {  // L14, L11
    await #expect(processExitsWith: .success) { [kind] in
      let (loop, pair, object) = (try EventLoop(), SocketPair(), Reference())
      try object.hold { try kind.make(on: loop, pair) }
      #expect(object.isAlive)
      try loop.close()
      #expect(!object.isAlive)
    }
  }

  @Test("an object that is called once lives until the call", arguments: Once.allCases)
  func called(kind: Once) async {  // L14
    await #expect(processExitsWith: .success) { [kind] in
      try withLoop { loop in
        let (object, calls) = (Reference(), Tally())
        try object.hold { try kind.make(on: loop) { calls.increment() } }
        #expect(object.isAlive)
        // The run does not wait for an observer.
        loop.post {}
        #expect(loop.runInTime() == .finished)
        #expect(calls.value == 1)
        #expect(!object.isAlive)
      }
    }
  }
}

/// An object that a loop retains until it is cancelled.
enum Kept: String, CaseIterable, Codable, Sendable {
  case observer, timer, preciseTimer, embedding, watcher, signal, child

  fileprivate func make(on loop: EventLoop, _ pair: SocketPair) throws -> AnyObject {
    switch self {
    case .observer: loop.addObserver(for: .entry) { _ in }
    case .timer: loop.addTimer(after: .seconds(3600)) { _ in }
    case .preciseTimer: try loop.addPreciseTimer(at: loop.now.advanced(by: .seconds(3600))) { _ in }
    case .embedding: Embedding(loop)
    case .watcher: try loop.watch(pair.near, for: .readable) { _ in }
    case .signal: try loop.onSignal(SIGUSR2) {}
    case .child: try loop.onExit(of: Process.start("exit 0")) { _ in }
    }
  }

  fileprivate func cancel(_ object: AnyObject) {
    switch self {
    case .observer: (object as? Observer)?.cancel()
    case .timer, .preciseTimer: (object as? LoopTimer)?.cancel()
    case .embedding: (object as? Embedding)?.cancel()
    case .watcher: (object as? DescriptorWatcher)?.cancel()
    case .signal: (object as? SignalWatcher)?.cancel()
    case .child: (object as? ChildWatcher)?.cancel()
    }
  }
}

/// An object that a loop calls once.
enum Once: String, CaseIterable, Codable, Sendable {
  case observer, timer, preciseTimer, child, idleBlock

  fileprivate func make(
    on loop: EventLoop,
    _ body: @escaping () -> Void
  ) throws -> AnyObject {
    switch self {
    case .observer: loop.addObserver(for: .beforeWaiting, repeats: false) { _ in body() }
    case .timer: loop.addTimer(after: .zero) { _ in body() }
    case .preciseTimer: try loop.addPreciseTimer(at: loop.now) { _ in body() }
    case .child: try loop.onExit(of: Process.start("exit 0")) { _ in body() }
    case .idleBlock: loop.whenIdle(body)
    }
  }
}

/// A weak reference. Functions use the object, so that no reference to it stays
/// in the test.
private final class Reference {
  private weak var object: AnyObject?

  var isAlive: Bool { object != nil }

  func hold(_ make: () throws -> AnyObject) throws { object = try make() }

  func use(_ body: (AnyObject) -> Void) { if let object { body(object) } }
}
