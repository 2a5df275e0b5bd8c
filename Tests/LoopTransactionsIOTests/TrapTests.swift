import LoopTransactions
import LoopTransactionsIO
import TestSupport
import Testing

/// A call that must be made on the loop's thread, or with other arguments.
enum Misuse: String, CaseIterable, Codable, Sendable {
  case listen = "EventLoop.listen"
  case connect = "EventLoop.connect"
  case adopt = "EventLoop.connection(adopting:)"
  case write = "Connection.write"
  case flush = "Connection.flush"
  case close = "Connection.close"
  case closeImmediately = "Connection.closeImmediately"
  case finishWriting = "Connection.finishWriting"
  case pauseReading = "Connection.pauseReading"
  case onRead = "Connection.onRead"
  case queuedBytes = "Connection.queuedBytes"
  case idleTimeout = "Connection.idleTimeout"
  case closeListener = "Listener.close"
  case pauseListener = "Listener.pause"
  case isAccepting = "Listener.isAccepting"

  func make(_ loop: EventLoop, _ connection: Connection, _ listener: Listener) throws {
    switch self {
    case .listen: try loop.listen(on: .loopback) { _ in }
    case .connect: loop.connect(to: .loopback) { _ in }
    case .adopt: _ = try loop.connection(adopting: 0)
    case .write: connection.write("x")
    case .flush: connection.flush()
    case .close: connection.close()
    case .closeImmediately: connection.closeImmediately()
    case .finishWriting: connection.finishWriting()
    case .pauseReading: connection.pauseReading()
    case .onRead: connection.onRead = nil
    case .queuedBytes: _ = connection.queuedBytes
    case .idleTimeout: connection.idleTimeout = .seconds(1)
    case .closeListener: listener.close()
    case .pauseListener: listener.pause()
    case .isAccepting: _ = listener.isAccepting
    }
  }
}

@Suite("Traps of connections")
struct TrapTests {
  @Test("calls from another thread trap, and name the call", arguments: Misuse.allCases)
  func thread(_ misuse: Misuse) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [misuse] in
      let loop = try EventLoop()
      let (connection, peer) = try loop.pair()
      let listener = try loop.listen(on: .loopback) { _ in }
      nonisolated(unsafe) let all = (loop, connection, listener)
      TestThread.run { try? misuse.make(all.0, all.1, all.2) }
      withExtendedLifetime(peer) {}
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("\(misuse.rawValue): the loop belongs to another thread"))
  }

  @Test("water marks in the wrong order trap, and name the values")
  func waterMarks() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try loop.pair().0.setWaterMarks(low: 2, high: 2)
    }
    #expect(Self.text(result).contains("low must be from 0 to less than high, got 2 and 2"))
  }

  @Test("a timeout of zero traps")
  func timeout() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try loop.pair().0.writeTimeout = .zero
    }
    #expect(Self.text(result).contains("writeTimeout: must be positive, got 0.0 seconds"))
  }

  @Test("a port out of range traps, and names it")
  func port() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try loop.listen(on: .tcp(host: "127.0.0.1", port: 65_536)) { _ in }
    }
    #expect(Self.text(result).contains("the port must be from 0 to 65535, got 65536"))
  }

  @Test("onRead and read() together trap")
  func twoReaders() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await Misreader().readWithCallback()
    }
    #expect(Self.text(result).contains("Connection.read: must not be called while onRead is set"))
  }

  @Test("two tasks in read() trap")
  func twoTasks() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let reader = try Misreader()
      try await reader.open()
      let first = Task { try await reader.read() }
      while await !reader.isReading { await Task.yield() }
      try await reader.read()
      try await first.value
    }
    #expect(Self.text(result).contains("must not be called while a task waits"))
  }

  @Test("setting onRead after read() traps")
  func lateCallback() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let reader = try Misreader()
      try await reader.open()
      let first = Task { try await reader.read() }
      while await !reader.isReading { await Task.yield() }
      await reader.setCallback()
      try await first.value
    }
    #expect(Self.text(result).contains("Connection.onRead: must not be set after read()"))
  }

  private static func text(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  @Test("listening on a closed loop traps")
  func closedLoop() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let loop = try EventLoop()
      try loop.close()
      try loop.listen(on: .loopback) { _ in }
    }
    #expect(Self.text(result).contains("EventLoop.listen: the loop is closed"))
  }
}

private actor Misreader {
  private let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.port.asUnownedSerialExecutor() }
  private var pair: (Connection, Peer)?
  private(set) var isReading = false

  init() throws { thread = try LoopThread(name: "io") }

  func open() throws { pair = try #require(EventLoop.current).pair() }

  func read() async throws {
    isReading = true
    _ = try await pair?.0.read()
  }

  func setCallback() { pair?.0.onRead = { _ in } }

  func readWithCallback() async throws {
    try open()
    setCallback()
    try await read()
  }
}

@Suite("Reflection of connections")
struct ReflectionTests {
  @Test("every public type can be dumped, on the loop and on another thread")
  func dumps() throws {
    try withLoop { loop in
      let (connection, peer) = try loop.pair()
      let listener = try loop.listen(on: .loopback) { _ in }
      connection.write("abc")
      let values: [Any] = [
        connection, connection.chunks, connection.chunks.makeAsyncIterator(), listener,
        listener.endpoint, SharedBytes("abc"),
      ]
      let texts = values.map(text)
      #expect(texts[0].contains("queuedBytes: 3"))
      #expect(texts[0].contains("isOpen: true"))
      #expect(texts[3].contains("isAccepting: true"))
      #expect(texts[5].contains("count: 3"))
      nonisolated(unsafe) let shared = values
      TestThread.run { for value in shared { _ = text(value) } }
      withExtendedLifetime(peer) {}
    }
  }
}

private func text(_ value: Any) -> String {
  var text = ""
  dump(value, to: &text)
  return text
}
