import Foundation
import LoopTransactions
import LoopTransactionsIO

/// A node: shares states with other nodes on the main loop, and serves clients on the loops
/// of a group. Belongs to the main loop.
final class Node {
  // Order: both are performed once in a tick, after all posts and messages of that tick.
  static let publish = Selector<Node>("publish") { $0.publish() }
  static let distribute = Selector<Node>("distribute") { $0.distribute() }

  private let loop: EventLoop
  private let options: Command.NodeOptions
  private let states: SharedStates
  private let group: LoopGroup
  private var shards: [Remote<Shard>] = []
  // The changes of this tick.
  private var (outgoing, incoming): (Versions, Versions) = ([:], [:])
  private var isListening = false
  private var changes = 0

  init(_ options: Command.NodeOptions, on loop: EventLoop) throws {
    (self.loop, self.options) = (loop, options)
    group = try LoopGroup(name: "clients", count: options.loops)
    states = try SharedStates(redis: options.redis, on: loop)
    let node = Remote(self, on: loop)
    let coalesces = options.coalesces
    shards = try group.threads.map { thread in
      try thread.port.postAndWait {
        let loop = currentLoop()
        return Remote(Shard(of: node, coalesces: coalesces, on: loop), on: loop)
      }
    }
    states.onVersions = { [unowned self] in received($0) }
    states.onCurrent = { [unowned self] in listenOnce() }
  }

  /// Takes changes of this node's clients.
  func changed(_ versions: Versions) {
    changes += versions.count
    guard options.coalesces else { return states.publish(versions) }
    outgoing.merge(versions) { max($0, $1) }
    loop.commit(self, Node.publish)
  }

  private func publish() {
    states.publish(outgoing)
    outgoing = [:]
  }

  private func received(_ versions: [(User, Version)]) {
    guard options.coalesces else {
      for (user, version) in versions { distribute([user: version]) }
      return
    }
    incoming.merge(versions) { max($0, $1) }
    loop.commit(self, Node.distribute)
  }

  private func distribute() {
    distribute(incoming)
    incoming = [:]
  }

  private func distribute(_ versions: Versions) {
    for shard in shards { shard.post { $0.update(versions) } }
  }
}

// Starting and stopping.
extension Node {
  /// Runs a node until SIGINT or SIGTERM.
  static func run(_ options: Command.NodeOptions) throws {
    let loop = try EventLoop()
    do {
      let node = try Node(options, on: loop)
      for number in [SIGINT, SIGTERM] { try loop.onSignal(number) { loop.stop() } }
      loop.run()
      try node.end()
      // The loop stays open: hiredis would need more ticks to end its connections.
      exit(0)
    } catch { fail(error) }
  }

  /// Accepts clients when the states of all users are known: a client gets them at once.
  private func listenOnce() {
    if isListening { return }
    isListening = true
    // The versions that were read are distributed first.
    distribute()
    do {
      var port = options.port
      for (shard, thread) in zip(shards, group.threads) {
        for host in 1...options.addresses {
          port = try thread.port.postAndWait { [port, loops = shards.count] in
            try shard.value.withValue {
              try $0.listen(on: "127.0.0.\(host)", port, isShared: loops > 1)
            }
          }
        }
      }
      say("listening on 127.0.0.1:\(port)")
    } catch { fail(error) }
  }

  private func end() throws {
    var counts = Shard.Counts()
    for (shard, thread) in zip(shards, group.threads) {
      let more = try thread.port.postAndWait { shard.value.withValue { $0.totals } }
      counts.lines += more.lines
      counts.writes += more.writes
    }
    try group.shutDown()
    say(
      """
      changes \(changes), calls of Redis \(states.scriptCalls), \
      lines \(counts.lines), writes \(counts.writes)
      """
    )
  }
}

/// An object that belongs to a loop, for other threads.
struct Remote<Object: AnyObject>: Sendable {
  let port: LoopPort
  let value: LoopBound<Object>

  init(_ object: Object, on loop: EventLoop) {
    (port, value) = (loop.port, LoopBound(object, on: loop))
  }

  /// Calls `body` on the loop, unless it has ended.
  func post(_ body: @escaping @Sendable (Object) -> Void) {
    // try?: throws only if the loop has closed, and the node ends then.
    try? port.post { value.withValue { body($0) } }
  }
}

/// The loop of this thread.
func currentLoop() -> EventLoop {
  guard let loop = EventLoop.current else { preconditionFailure("currentLoop: no loop runs here") }
  return loop
}
