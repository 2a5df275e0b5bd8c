import CHiredis
import ClientHost
import LoopTransactions

// usage: redis-counter SOCKET KEY [--gtk]
//
// Adds each number on standard input to KEY of the Redis server at a Unix socket, and prints
// the newest total once per tick. hiredis polls the socket by its own adapter for libuv, on
// the loop's `uv_loop_t`.

/// A counter in a Redis server. Belongs to the loop's thread.
final class Counter {
  static let show = Selector<Counter>("show") { say("total \($0.total)") }

  private let loop: EventLoop
  private let path, key: String
  private var context: UnsafeMutablePointer<redisAsyncContext>?
  private var isConnected = false
  // Numbers that wait for a connection.
  private var waiting: [Int] = []
  private var inFlight = 0
  private var total: Int64 = 0
  // Numbers whose connection ended before their reply may or may not have been added.
  private var (confirmed, unknown, connections) = (0, 0, 0)

  init(_ key: String, at path: String, on loop: EventLoop) {
    (self.loop, self.path, self.key) = (loop, path, key)
    loop.addObserver(for: .beforeWaiting) { [unowned self] _ in readError() }
    connect()
  }

  func add(_ number: Int) {
    waiting.append(number)
    if isConnected { send() }
  }

  /// Called when every number has been sent and answered. Set it at the end of the input.
  var done: (() -> Void)? { didSet { finishIfDone() } }

  var summary: String {
    "confirmed \(confirmed), unknown \(unknown), connections \(connections)"
  }

  private func send() {
    // hiredis writes when the socket is writable, so the commands of a tick are one write.
    for number in waiting {
      let words = ["INCRBY", key, "\(number)"]
      let command = "*3\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
      let (data, count) = (UnsafeMutableRawPointer(bitPattern: number), command.utf8.count)
      redisAsyncFormattedCommand(context, commandReplied, data, command, count)
    }
    inFlight += waiting.count
    waiting = []
  }

  private func finishIfDone() {
    guard let done, inFlight == 0, waiting.isEmpty else { return }
    isConnected = false
    if let context { redisAsyncDisconnect(context) }
    done()
  }
}

// The connection.
extension Counter {
  private func connect() {
    let made = redisAsyncConnectUnix(path)
    guard let made, made.pointee.err == 0 else {
      if let made { redisAsyncFree(made) }
      return connectLater()
    }
    context = made
    made.pointee.data = pointer(to: self)
    redisLibuvAttach(made, loop.libuvLoop.assumingMemoryBound(to: uv_loop_t.self))
    redisAsyncSetConnectCallback(made) {
      object(Counter.self, at: $0?.pointee.data)?.connected($1 == REDIS_OK)
    }
    redisAsyncSetDisconnectCallback(made) { context, _ in
      object(Counter.self, at: context?.pointee.data)?.disconnected()
    }
  }

  private func connectLater() {
    loop.addTimer(after: .milliseconds(50)) { [unowned self] _ in
      if context == nil { connect() } else if isConnected { send() }
    }
  }

  private func connected(_ isOpen: Bool) {
    // hiredis frees the context if it could not connect.
    guard isOpen else { return disconnected() }
    isConnected = true
    connections += 1
    send()
  }

  private func disconnected() {
    (context, isConnected) = (nil, false)
    connectLater()
  }

  fileprivate func replied(_ reply: UnsafeMutableRawPointer?, _ number: UnsafeRawPointer?) {
    let reply = reply?.assumingMemoryBound(to: redisReply.self)
    inFlight -= 1
    switch reply?.pointee.type {
    case REDIS_REPLY_INTEGER:
      confirmed += 1
      total = reply?.pointee.integer ?? 0
      loop.commit(self, Counter.show)
    // The server is loading its file, for example.
    case REDIS_REPLY_ERROR:
      waiting.append(Int(bitPattern: number))
      if waiting.count == 1 { connectLater() }
    default: unknown += 1
    }
    finishIfDone()
  }

  /// Lets hiredis read the error for which libuv stopped its poll handle. The adapter of
  /// hiredis 0.14 ignores it, so a reset connection would never end.
  private func readError() {
    guard let context, let data = context.pointee.ev.data else { return }
    let poll = data.assumingMemoryBound(to: redisLibuvEvents.self)
    let isPolled = withUnsafeMutablePointer(to: &poll.pointee.handle) {
      $0.withMemoryRebound(to: uv_handle_t.self, capacity: 1) { uv_is_active($0) != 0 }
    }
    if poll.pointee.events != 0, !isPolled { redisAsyncHandleRead(context) }
  }
}

func commandReplied(
  _ context: UnsafeMutablePointer<redisAsyncContext>?,
  _ reply: UnsafeMutableRawPointer?,
  _ number: UnsafeMutableRawPointer?
) { object(Counter.self, at: context?.pointee.data)?.replied(reply, number) }

let loop = try EventLoop()
let host = ClientHost(loop, name: "redis-counter")
guard host.arguments.count == 2 else { host.fail("usage: redis-counter SOCKET KEY [--gtk]") }
let counter = Counter(host.arguments[1], at: host.arguments[0], on: loop)
host.readLines { line in
  if line == "summary" { return say(counter.summary) }
  if let line { return counter.add(Int(line) ?? 1) }
  counter.done = { host.stop() }
}
try host.run()
say(counter.summary)
