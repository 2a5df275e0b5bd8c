/// The parsed command line.
struct Options {
  var address = "127.0.0.1"
  var port = 6379
  var loops = 1
  var coalesces = true
  var backlog = 4 << 20
  var subscriptions = 1000
  var memory = 1 << 30
  /// The retry delay in seconds.
  var retry = 1

  static let help = """
    usage: resp-server [--address A] [--port N] [--loops N] [--backlog N]
                       [--subscriptions N] [--max-memory N] [--retry N]
                       [--no-coalescing]

      --address A       address to listen on (default: 127.0.0.1)
      --port N          port to listen on; 0 selects a free one (default: 6379)
      --loops N         number of loops, each with its own thread
                        (default: the number of processors)
      --backlog N       bytes of undelivered messages per loop before publishers
                        wait (default: 4 MB)
      --subscriptions N maximum number of channels per client (default: 1000)
      --max-memory N    bytes of keys and values before SET and INCR are refused
                        (default: 1 GB)
      --retry N         seconds before a loop without a free descriptor tries to
                        accept again, if no client disconnects (default: 1)
      --no-coalescing   send each reply with its own write
      -h, --help        show this help

    exit: 0 stopped by SIGINT or SIGTERM · 1 the server failed · 2 usage error
    """

  init(_ arguments: some Sequence<String>, processors: Int) throws {
    loops = max(1, processors)
    var words = OptionWords(arguments, of: "resp-server")
    while let word = words.next() {
      switch word {
      case "--address": address = try words.value()
      case "--port": port = try words.number(in: 0...65_535)
      case "--loops": loops = try words.number(in: 1...64)
      case "--backlog": backlog = try words.number(in: 0...Int.max)
      case "--subscriptions": subscriptions = try words.number(in: 0...Int.max)
      case "--max-memory": memory = try words.number(in: 0...Int.max)
      case "--retry": retry = try words.number(in: 1...86_400)
      case "--no-coalescing": coalesces = false
      default: throw words.unknownOption
      }
    }
  }
}
