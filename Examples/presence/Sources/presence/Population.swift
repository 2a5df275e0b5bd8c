import Foundation
import LoopTransactions
import LoopTransactionsIO

/// Clients in teams, which make changes at a fixed rate. Belongs to the loop's thread.
final class Population {
  let loop: EventLoop
  let options: Command.ClientOptions
  /// The number of pairs of a change and a client of its team that has not seen it.
  var unseen = 0 { didSet { reportIfSettled() } }
  /// The number of lines that clients have received since the measurement began.
  var lines = 0
  // The number of changes that clients have seen since then, whenever these were due.
  private var seen = 0
  private var clients: [Client] = []
  private var connected = 0
  private var timer: LoopTimer?
  private var isStopping = false
  private var random = SplitMix(state: 1)
  // The measurement, of changes that were due in its interval.
  private var (begin, end) = (UInt64.max, UInt64.max)
  private var (changes, measuredChanges, views) = (0, 0, 0)
  private var histogram = LatencyHistogram()

  init(_ options: Command.ClientOptions, on loop: EventLoop) {
    (self.options, self.loop) = (options, loop)
    clients = (0..<options.count).map { index in
      let team = options.firstTeam + index / options.team
      let user = User(number: team * User.teamLimit + index % options.team)
      return Client(user, at: endpoint(index), of: self)
    }
    connectNext(0)
  }

  /// Clients in turn connect to all ports of an address, and then to all of the next one.
  private func endpoint(_ index: Int) -> Endpoint {
    let (round, port) = index.quotientAndRemainder(dividingBy: options.ports.count)
    return .tcp(host: "127.0.0.\(1 + round % options.addresses)", port: options.ports[port])
  }

  /// Connects 100 clients in each 10 ms, so that they do not wait for each other.
  private func connectNext(_ first: Int) {
    for client in clients[first...].prefix(100) { client.connect() }
    guard first + 100 < clients.count else { return }
    loop.addTimer(after: .milliseconds(10)) { [unowned self] _ in connectNext(first + 100) }
  }

  func couldNotConnect(_ error: UVError) {
    guard error.name == "EADDRNOTAVAIL" else { return }
    fail(
      """
      the system has no free port for client \(connected + 1) of \(clients.count); use \
      --addresses, or widen net.ipv4.ip_local_port_range
      """
    )
  }

  func changeConnected(by difference: Int) {
    connected += difference
    if connected == clients.count { say("connected") }
  }

  var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

// Changes.
extension Population {
  /// Makes `rate` changes per second, of users at random.
  func start(rate: Int) {
    let first = now
    var made = 0
    timer = loop.addTimer(after: .zero, every: .milliseconds(1)) { [unowned self] _ in
      let due = Int((now - first) / 1000) * rate / 1_000_000
      while made < due {
        // A late change counts from the time when it was due.
        change(due: first + UInt64(made) * 1_000_000_000 / UInt64(rate))
        made += 1
      }
    }
  }

  private func change(due time: UInt64) {
    changes += 1
    if time >= begin { measuredChanges += 1 }
    unseen += options.team
    clients[Int(random.next() % UInt64(clients.count))].change(due: time)
  }

  func stop() {
    timer?.cancel()
    (timer, isStopping) = (nil, true)
    end = now
    say("delivered views \(seen) lines \(lines) milliseconds \(measuredMilliseconds)")
    reportIfSettled()
  }

  /// Counts the changes after `old`, up to `version`, that a client has seen.
  ///
  /// A client also sees a change whose version was skipped: with the version that replaced it.
  func saw(_ user: User, after old: Version, upTo version: Version, at time: UInt64) {
    let index = (user.team - options.firstTeam) * options.team + user.place
    guard version <= clients[index].changes.count else {
      return fail("the Redis server has states of another run, such as of user \(user.number)")
    }
    for due in clients[index].changes[old..<version] where due >= begin {
      views += 1
      histogram.record(.nanoseconds(Int64(time - due)))
    }
    seen += version - old
    unseen -= version - old
  }

  private func fail(_ message: String) {
    FileHandle.standardError.write(Data("presence: \(message)\n".utf8))
    exit(1)
  }
}

// Reports.
extension Population {
  func measure() {
    begin = now
    (lines, seen) = (0, 0)
  }

  private var measuredMilliseconds: UInt64 { begin == .max ? 0 : (end - begin) / 1_000_000 }

  private func reportIfSettled() {
    guard isStopping, unseen == 0, connected == clients.count else { return }
    isStopping = false
    say("settled changes \(measuredChanges) views \(views) lines \(lines)")
    // For times from 0.1 ms to 2 minutes, 5% apart. Counts of several processes can be added.
    for bound in sequence(first: 100.0, next: { $0 * 1.05 }).prefix(288) {
      print("atmost", Int(bound), histogram.count(atMost: .nanoseconds(Int64(bound * 1000))))
    }
    say("end")
  }

  /// Prints the number of all changes.
  func printChanges() { say("changes \(changes)") }

  /// Prints each version of each user that clients of its team see, and their number.
  func printViews() {
    for (index, client) in clients.enumerated() {
      let team = clients[(index - client.user.place)...].prefix(options.team)
      let versions = Dictionary(grouping: team) { $0.views[client.user.place] }
      for (version, clients) in versions.sorted(by: { $0.key < $1.key }) {
        print("view", client.user.number, version, clients.count)
      }
    }
    say("end")
  }
}

/// A generator of random numbers, with a seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Runs clients until the end of standard input.
func runClients(_ options: Command.ClientOptions) throws {
  let loop = try EventLoop()
  let population = Population(options, on: loop)
  var input: [UInt8] = []
  var watcher: DescriptorWatcher?
  func readCommands() {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    if count <= 0 {
      watcher?.cancel()
      return loop.stop()
    }
    input += bytes[..<count]
    while let end = input.firstIndex(of: 10) {
      let words = String(decoding: input[..<end], as: UTF8.self).split(separator: " ")
      input.removeFirst(end + 1)
      switch words.first {
      case "start": population.start(rate: words.last.flatMap { Int($0) } ?? 1)
      case "measure": population.measure()
      case "stop": population.stop()
      case "changes": population.printChanges()
      case "views": population.printViews()
      default: say("unknown command")
      }
    }
  }
  do {
    watcher = try loop.watch(STDIN_FILENO, for: .readable) { _ in readCommands() }
  } catch { fail(error) }
  loop.run()
  // The process ends with its connections.
  exit(0)
}
