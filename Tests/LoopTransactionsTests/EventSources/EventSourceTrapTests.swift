import LoopTransactions
import LoopTransactionsTesting
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A loop and its event sources, for calls from the wrong thread or at the
/// wrong time.
private final class Fixture {
  let loop: EventLoop
  let pair = SocketPair()
  let child = Process.start("exit 0")
  let watcher: DescriptorWatcher
  let signal: SignalWatcher
  let exit: ChildWatcher

  init(_ loop: EventLoop) throws {
    self.loop = loop
    watcher = try loop.watch(pair.near, for: .readable) { _ in }
    // SIGWINCH is ignored by default.
    signal = try loop.onSignal(SIGWINCH) {}
    exit = try loop.onExit(of: child) { _ in }
  }
}

/// A call that must be made on the loop's thread.
enum EventSourceCall: String, CaseIterable, Codable, Sendable {
  case watch = "EventLoop.watch"
  case events = "DescriptorWatcher.events"
  case setEvents = "DescriptorWatcher.events "
  case watcherIsActive = "DescriptorWatcher.isActive"
  case watcherKeepsAlive = "DescriptorWatcher.keepsLoopAlive"
  case setWatcherKeepsAlive = "DescriptorWatcher.keepsLoopAlive "
  case cancelWatcher = "DescriptorWatcher.cancel"
  case onSignal = "EventLoop.onSignal"
  case signals = "EventLoop.signals"
  case signalIsActive = "SignalWatcher.isActive"
  case signalKeepsAlive = "SignalWatcher.keepsLoopAlive"
  case setSignalKeepsAlive = "SignalWatcher.keepsLoopAlive "
  case cancelSignal = "SignalWatcher.cancel"
  case onExit = "EventLoop.onExit"
  case childIsActive = "ChildWatcher.isActive"
  case cancelChild = "ChildWatcher.cancel"
  case onMemoryPressure = "EventLoop.onMemoryPressure"
  case libuvLoop = "EventLoop.libuvLoop"

  /// The name of the call in the trap's message.
  var name: String { String(rawValue.prefix { $0 != " " }) }

  fileprivate func make(_ fixture: Fixture) throws {
    let loop = fixture.loop
    switch self {
    case .watch: try loop.watch(fixture.pair.near, for: .writable) { _ in }
    case .onSignal: try loop.onSignal(SIGWINCH) {}
    case .signals: _ = try loop.signals(SIGWINCH)
    case .signalIsActive: _ = fixture.signal.isActive
    case .signalKeepsAlive: _ = fixture.signal.keepsLoopAlive
    case .setSignalKeepsAlive: fixture.signal.keepsLoopAlive = false
    case .cancelSignal: fixture.signal.cancel()
    case .onExit: try loop.onExit(of: fixture.child) { _ in }
    case .childIsActive: _ = fixture.exit.isActive
    case .cancelChild: fixture.exit.cancel()
    case .onMemoryPressure: try loop.onMemoryPressure {}
    case .libuvLoop: _ = loop.libuvLoop
    default: useWatcher(fixture.watcher)
    }
  }

  private func useWatcher(_ watcher: DescriptorWatcher) {
    switch self {
    case .events: _ = watcher.events
    case .setEvents: watcher.events = .writable
    case .watcherIsActive: _ = watcher.isActive
    case .watcherKeepsAlive: _ = watcher.keepsLoopAlive
    case .setWatcherKeepsAlive: watcher.keepsLoopAlive = false
    default: watcher.cancel()
    }
  }
}

@Suite("Traps of event sources", .serialized)
struct EventSourceTrapTests {
  @Test(
    "a call off the loop's thread traps with the call's name",
    arguments: EventSourceCall.allCases
  )
  func offThread(call: EventSourceCall) async {  // E1, E3, E4, E5, E8
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [call] in
      let loop = try EventLoop()
      let fixture = Smuggled(try Fixture(loop))
      TestThread.run { try? call.make(fixture.value) }
      try loop.close()
    }
    #expect(said(result, "\(call.name): the loop belongs to another thread; use its port"))
  }

  static let needOpenLoop: [EventSourceCall] = [
    .watch, .onSignal, .signals, .onExit, .onMemoryPressure, .libuvLoop,
  ]

  @Test("a call that needs an open loop traps after close()", arguments: needOpenLoop)
  func afterClose(call: EventSourceCall) async {  // E1, E3, E4, E5, E8
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [call] in
      let loop = try EventLoop()
      let fixture = try Fixture(loop)
      try loop.close()
      try call.make(fixture)
    }
    #expect(said(result, "\(call.name): the loop is closed; make a new one"))
  }

  @Test("a call that needs no open loop does no harm after close()")
  func harmlessAfterClose() async {  // E1, E3, E4
    await #expect(processExitsWith: .success) {
      let loop = try EventLoop()
      let fixture = try Fixture(loop)
      try loop.close()
      for call in EventSourceCall.allCases where !Self.needOpenLoop.contains(call) {
        try call.make(fixture)
      }
    }
  }

  @Test("a source cannot be added in a child process", arguments: needOpenLoop.dropLast())
  func inChild(call: EventSourceCall) async {  // L12, E1, E3, E4, E8
    await #expect(processExitsWith: .success) { [call] in
      try withLoop { loop in
        let fixture = try Fixture(loop)
        let ending = Process.fork { try? call.make(fixture) }
        #expect(ending.status < 0)
        #expect(
          ending.standardError.contains(
            "\(call.name): the loop belongs to the parent process; make one in the child"
          )
        )
      }
    }
  }

  @Test(
    "a source cannot be added after the owner closed the adopted loop",
    arguments: needOpenLoop.dropLast()
  )
  func afterOwner(call: EventSourceCall) async {  // L1, E1, E3, E4, E8
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [call] in
      let host = ForeignLoop()
      let fixture = try Fixture(try EventLoop(adopting: host.address))
      #expect(host.tearDown())
      try call.make(fixture)
    }
    #expect(said(result, "\(call.name): the owner closed the adopted loop"))
  }

  @Test("calls of watchers do no harm after the owner closed the adopted loop")
  func harmlessAfterOwner() async {  // L1, E1, E3, E4
    await #expect(processExitsWith: .success) {
      // Handles that the owner closed are leaked.
      Interposed.forgiveLeaks()
      let host = ForeignLoop()
      let loop = try EventLoop(adopting: host.address)
      let fixture = try Fixture(loop)
      host.run(.noWait)
      #expect(host.tearDown())
      for call in EventSourceCall.allCases where !Self.needOpenLoop.contains(call) {
        try call.make(fixture)
      }
      #expect(!fixture.watcher.isActive && !fixture.signal.isActive && !fixture.exit.isActive)
      #expect(Process.isDefault(SIGWINCH))
      try loop.close()
    }
  }

  @Test(
    "a share of memory stalls must be positive and at most the window",
    arguments: [0, 2_001]
  )
  func badShare(milliseconds: Int) async {  // E8
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) { [milliseconds] in
      try withLoop { loop in
        try loop.onMemoryPressure(lasting: .milliseconds(milliseconds)) {}
      }
    }
    let message = "EventLoop.onMemoryPressure: lasting must be positive and at most within, got"
    #expect(said(result, message))
  }
}
