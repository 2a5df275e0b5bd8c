/// The parsed command line.
enum Command {
  case help
  case node(NodeOptions)
  case clients(ClientOptions)

  struct NodeOptions: Sendable {
    var port = 7100
    var addresses = 1
    var clients = 10_000
    var redis = "/run/redis/redis.sock"
    var loops = 1
    var coalesces = true
  }

  struct ClientOptions {
    var ports = [7100]
    var addresses = 1
    var count = 100
    var team = 100
    var firstTeam = 0
  }

  static let usage = """
    usage: presence node [--port N] [--addresses N] [--clients N] [--redis SOCKET] [--loops N]
                         [--no-coalescing]
           presence clients [--ports N,N…] [--addresses N] [--count N] [--team N]
                            [--first-team N]

    node: serves clients, and shares the states of all users with the other nodes by Redis.

      --port N          port to listen on; 0 selects a free one (default: 7100)
      --addresses N     listen on 127.0.0.1 to 127.0.0.N (default: 1)
      --clients N       number of clients that get a descriptor (default: 10000)
      --redis SOCKET    Unix socket of the Redis server (default: /run/redis/redis.sock)
      --loops N         number of loops for clients, each with its own thread (default: 1)
      --no-coalescing   pass on each change by itself

    clients: connects clients, of a user each, in turn to the nodes. Each sees the members
    of its team, itself included.

      --ports N,N…      the ports of the nodes (default: 7100)
      --addresses N     connect to 127.0.0.1 to 127.0.0.N in turn, so that the system has
                        ports for more clients (default: 1)
      --count N         number of clients, a multiple of the team (default: 100)
      --team N          number of members of a team, at most 1000 (default: 100)
      --first-team N    number of the first team, to run several processes (default: 0)

    They read commands from standard input: "start RATE" makes that number of changes per
    second, "measure" begins a measurement, "stop" ends the changes, "changes" prints their
    number, and "views" the versions that the clients see. "connected" is printed when all
    clients are connected, "delivered" when the changes stop, and "settled" with the
    measurement when all see the newest versions after a stop.

    Both raise their limit of descriptors, and fail if the system refuses that.

    exit: 0 stopped · 1 failed · 2 usage error
    """

  init(_ arguments: some Sequence<String>) throws {
    var words = OptionWords(arguments, of: "presence")
    switch words.next() {
    case "--help", "-h": self = .help
    case "node": self = .node(try Self.node(&words))
    case "clients": self = .clients(try Self.clients(&words))
    case let word: throw words.error("unknown command '\(word ?? "")'")
    }
  }

  private static func node(_ words: inout OptionWords) throws -> NodeOptions {
    var options = NodeOptions()
    while let word = words.next() {
      switch word {
      case "--port": options.port = try words.number(in: 0...65_535)
      case "--addresses": options.addresses = try words.number(in: 1...250)
      case "--clients": options.clients = try words.number(in: 1...1_000_000_000)
      case "--redis": options.redis = try words.value()
      case "--loops": options.loops = try words.number(in: 1...64)
      case "--no-coalescing": options.coalesces = false
      default: throw words.unknownOption
      }
    }
    return options
  }

  private static func clients(_ words: inout OptionWords) throws -> ClientOptions {
    var options = ClientOptions()
    while let word = words.next() {
      switch word {
      case "--ports": options.ports = try words.numbers(in: 1...65_535)
      case "--addresses": options.addresses = try words.number(in: 1...250)
      case "--count": options.count = try words.number(in: 1...1_000_000)
      case "--team": options.team = try words.number(in: 1...User.teamLimit)
      case "--first-team": options.firstTeam = try words.number(in: 0...1_000_000)
      default: throw words.unknownOption
      }
    }
    guard options.count % options.team == 0 else {
      throw words.error("--count must be a multiple of --team, got \(options.count)")
    }
    return options
  }
}
