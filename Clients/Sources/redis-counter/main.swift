import ClientHost
import LoopRedis
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
  private let key: String
  private let connection: RedisConnection
  // Numbers that wait for a connection.
  private var waiting: [Int] = []
  private var inFlight = 0
  private var total = 0
  // Numbers whose connection ended before their reply may or may not have been added.
  private var (confirmed, unknown) = (0, 0)

  init(_ key: String, at path: String, on loop: EventLoop) throws {
    (self.loop, self.key) = (loop, key)
    connection = try RedisConnection(to: path, on: loop)
    connection.onOpen = { [unowned self] in send() }
  }

  func add(_ number: Int) {
    waiting.append(number)
    send()
  }

  /// Called when every number has been sent and answered. Set it at the end of the input.
  var done: (() -> Void)? { didSet { finishIfDone() } }

  var summary: String {
    "confirmed \(confirmed), unknown \(unknown), connections \(connection.count)"
  }

  private func send() {
    guard connection.isOpen else { return }
    let numbers = waiting
    waiting = []
    inFlight += numbers.count
    for number in numbers {
      connection.send(["INCRBY", key, "\(number)"]) { [unowned self] reply in
        inFlight -= 1
        replied(reply, to: number)
        finishIfDone()
      }
    }
  }

  private func replied(_ reply: RedisValue?, to number: Int) {
    switch reply {
    case .integer(let value):
      confirmed += 1
      total = value
      loop.commit(self, Counter.show)
    // The server is loading its file, for example.
    case .error:
      waiting.append(number)
      if waiting.count > 1 { return }
      loop.addTimer(after: .milliseconds(50)) { [unowned self] _ in send() }
    default: unknown += 1
    }
  }

  private func finishIfDone() {
    guard let done, inFlight == 0, waiting.isEmpty else { return }
    connection.close()
    done()
  }
}

let loop = try EventLoop()
let host = ClientHost(loop, name: "redis-counter")
guard host.arguments.count == 2 else { host.fail("usage: redis-counter SOCKET KEY [--gtk]") }
let counter = try Counter(host.arguments[1], at: host.arguments[0], on: loop)
host.readLines { line in
  if line == "summary" { return say(counter.summary) }
  if let line { return counter.add(Int(line) ?? 1) }
  counter.done = { host.stop() }
}
try host.run()
say(counter.summary)
