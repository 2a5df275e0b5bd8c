/// What the command line says.
struct Options {
  var address = "127.0.0.1"
  var port: UInt16 = 6379
  var loops = 1
  var coalesces = true
  var backlog = 4 << 20
  var subscriptions = 1000
  /// In seconds.
  var retry = 1

  static let help = """
    usage: resp-server [--address A] [--port N] [--loops N] [--backlog N]
                       [--subscriptions N] [--retry N] [--no-coalescing]

      --address A       where to listen: 127.0.0.1 unless said
      --port N          the port; 0 for any that is free
      --loops N         how many loops, a thread each: as many as processors
      --backlog N       bytes that may be on their way to a loop before publishers wait:
                        4 MB unless said
      --subscriptions N channels that a client may be subscribed to: 1000 unless said
      --retry N         seconds after which a loop that had no descriptor for a client tries
                        again, if no client has left: 1 unless said
      --no-coalescing   send each reply by itself
    """

  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: some Sequence<String>, processors: Int) throws {
    loops = max(1, processors)
    var words = arguments.makeIterator()
    while let word = words.next() {
      switch word {
      case "--address": address = try Self.value(words.next(), of: word)
      case "--port": port = try Self.number(words.next(), of: word)
      case "--loops":
        loops = try Self.number(words.next(), of: word)
        guard (1...64).contains(loops) else { throw Fault(description: "--loops: 1 to 64") }
      case "--backlog":
        backlog = try Self.number(words.next(), of: word)
        guard backlog >= 0 else { throw Fault(description: "--backlog: not below 0") }
      case "--subscriptions":
        subscriptions = try Self.number(words.next(), of: word)
        guard subscriptions >= 0 else { throw Fault(description: "--subscriptions: not below 0") }
      case "--retry":
        retry = try Self.number(words.next(), of: word)
        guard (1...86_400).contains(retry) else { throw Fault(description: "--retry: 1 to 86400") }
      case "--no-coalescing": coalesces = false
      default: throw Fault(description: "unknown option \(word)")
      }
    }
  }

  private static func value(_ word: String?, of option: String) throws -> String {
    guard let word else { throw Fault(description: "\(option): a value is missing") }
    return word
  }

  private static func number<Number: FixedWidthInteger>(
    _ word: String?,
    of option: String
  ) throws -> Number {
    guard let number = Number(try value(word, of: option)) else {
      throw Fault(description: "\(option): not a number that fits")
    }
    return number
  }
}
