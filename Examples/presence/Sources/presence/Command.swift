/// The parsed command line.
enum Command {
  case help
  case node(NodeOptions)
  case clients(ClientOptions)

  struct NodeOptions: Sendable {
    var port = 7100
    var redis = "/run/redis/redis.sock"
    var loops = 1
    var coalesces = true
  }

  struct ClientOptions {
    var ports = [7100]
    var count = 100
    var team = 100
    var firstTeam = 0
  }

  static let usage = """
    usage: presence node [--port N] [--redis SOCKET] [--loops N] [--no-coalescing]
           presence clients [--ports N,N…] [--count N] [--team N] [--first-team N]

    node: serves clients, and shares the states of all users with the other nodes by Redis.

      --port N          port to listen on; 0 selects a free one (default: 7100)
      --redis SOCKET    Unix socket of the Redis server (default: /run/redis/redis.sock)
      --loops N         number of loops for clients, each with its own thread (default: 1)
      --no-coalescing   pass on each change by itself

    clients: connects clients, of a user each, in turn to the nodes. Each sees the members
    of its team, itself included.

      --ports N,N…      the ports of the nodes (default: 7100)
      --count N         number of clients, a multiple of the team (default: 100)
      --team N          number of members of a team, at most 1000 (default: 100)
      --first-team N    number of the first team, to run several processes (default: 0)

    They read commands from standard input: "start RATE" makes that number of changes per
    second, "measure" begins a measurement, "stop" ends the changes, "changes" prints their
    number, and "views" the versions that the clients see. "connected" is printed when all
    clients are connected, and "settled" with the measurement when all see the newest
    versions after a stop.

    exit: 0 stopped · 1 failed · 2 usage error
    """

  struct UsageError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description + "; see presence --help" }
  }

  init(_ arguments: some Sequence<String>) throws {
    var words = arguments.makeIterator()
    switch words.next() {
    case "--help", "-h": self = .help
    case "node": self = .node(try Self.node(&words))
    case "clients": self = .clients(try Self.clients(&words))
    case let word: throw UsageError("unknown command '\(word ?? "")'")
    }
  }

  private static func node(_ words: inout some IteratorProtocol<String>) throws -> NodeOptions {
    var options = NodeOptions()
    while let word = words.next() {
      switch word {
      case "--port": options.port = try number(words.next(), of: word, in: 0...65_535)
      case "--redis": options.redis = try value(words.next(), of: word)
      case "--loops": options.loops = try number(words.next(), of: word, in: 1...64)
      case "--no-coalescing": options.coalesces = false
      default: throw UsageError("unknown option '\(word)'")
      }
    }
    return options
  }

  private static func clients(_ words: inout some IteratorProtocol<String>) throws -> ClientOptions
  {
    var options = ClientOptions()
    while let word = words.next() {
      switch word {
      case "--ports":
        options.ports = try value(words.next(), of: word).split(separator: ",").map {
          try number(String($0), of: word, in: 1...65_535)
        }
      case "--count": options.count = try number(words.next(), of: word, in: 1...1_000_000)
      case "--team": options.team = try number(words.next(), of: word, in: 1...User.teamLimit)
      case "--first-team":
        options.firstTeam = try number(words.next(), of: word, in: 0...1_000_000)
      default: throw UsageError("unknown option '\(word)'")
      }
    }
    guard options.count % options.team == 0, !options.ports.isEmpty else {
      throw UsageError("--count must be a multiple of --team, got \(options.count)")
    }
    return options
  }

  private static func value(_ word: String?, of option: String) throws -> String {
    guard let word else { throw UsageError("\(option) needs a value") }
    return word
  }

  private static func number(
    _ word: String?,
    of option: String,
    in range: ClosedRange<Int>
  ) throws -> Int {
    let word = try value(word, of: option)
    guard let number = Int(word), range.contains(number) else {
      throw UsageError(
        "\(option) must be from \(range.lowerBound) to \(range.upperBound), got '\(word)'"
      )
    }
    return number
  }
}
