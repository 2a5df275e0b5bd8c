import CardFeed

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The command `loopbench-frames film`, which runs variants in sequence and
/// draws their frames.
public enum Film {
  static let help = """
    usage: loopbench-frames film [-o FILE] [-p NAMES] [--load RC] [--frames N]

    Runs variants of the feed in sequence and draws each refresh of the screen as an SVG
    film strip.

      -o FILE      write to FILE (default: standard output)
      -p NAMES     variants, separated by commas (default: all)
      --load RC    cards per second times seconds per card (default: 0.72)
      --frames N   refreshes per variant (default: 120)

    """

  private struct Misuse: Error { let text: String }

  // An error caused by the machine, not by wrong usage like `Misuse`.
  private struct NotWritten: Error, CustomStringConvertible {
    let file: String
    let code: Int32

    var description: String { "cannot write \(file): \(String(cString: strerror(code)))" }
  }

  private struct Options {
    var file: String?
    var variants = FeedVariant.all
    var load = 0.72
    var frames = 120
  }

  /// Runs the command and returns its exit code.
  public static func run(_ arguments: [String]) -> Int32 {
    if arguments.contains("-h") || arguments.contains("--help") {
      print(help, terminator: "")
      return 0
    }
    do {
      let options = try read(arguments)
      try write(strip(options).svg, to: options.file)
      return 0
    } catch let misuse as Misuse {
      say("\(misuse.text)\nTry loopbench-frames film --help.")
      return 2
    } catch {
      say("\(error)")
      return 1
    }
  }

  private static func read(_ arguments: [String]) throws -> Options {
    var (options, words) = (Options(), arguments[...])
    while let option = words.popFirst() {
      guard ["-o", "-p", "--load", "--frames"].contains(option) else {
        throw Misuse(text: "there is no option \"\(option)\"")
      }
      guard let word = words.popFirst() else { throw Misuse(text: "\(option) needs a value") }
      switch option {
      case "-o": options.file = word
      case "-p":
        options.variants = try word.split(separator: ",").map { name in
          guard let variant = FeedVariant.named(String(name)) else {
            let names = FeedVariant.all.map(\.name).joined(separator: ", ")
            throw Misuse(text: "there is no variant \"\(name)\"; choose from \(names)")
          }
          return variant
        }
      case "--load": options.load = try value(word, of: option, 0.01...100) { Double($0) }
      default: options.frames = try value(word, of: option, 1...36_000) { Int($0) }
      }
    }
    return options
  }

  private static func value<Value: Comparable>(
    _ word: String,
    of option: String,
    _ range: ClosedRange<Value>,
    _ parse: (String) -> Value?
  ) throws -> Value {
    guard let value = parse(word), range.contains(value) else {
      throw Misuse(text: "\(option) takes \(range), got \"\(word)\"")
    }
    return value
  }

  private static func strip(_ options: Options) throws -> FilmStrip {
    let machine = try FrameMachine.shared.get()
    let script = ScrollScript.steady(pointsPerSecond: machine.speed(at: options.load))
    let rows = try options.variants.map { variant in
      var run = FrameRun(variant, machine.corpus, script)
      run.refreshes = options.frames
      return FilmStrip.Row(name: variant.name, record: try run.record())
    }
    return FilmStrip(title: "A feed of cards at a load of \(options.load)", rows: rows)
  }

  private static func write(_ text: String, to file: String?) throws {
    guard let file else { return print(text, terminator: "") }
    guard let stream = fopen(file, "we") else {
      throw NotWritten(file: file, code: errno)
    }
    // A full disk makes either fputs or fclose fail.
    let isWritten = fputs(text, stream) >= 0
    let code = errno
    guard fclose(stream) == 0 else { throw NotWritten(file: file, code: errno) }
    guard isWritten else { throw NotWritten(file: file, code: code) }
  }

  private static func say(_ text: String) {
    let line = Array("loopbench-frames: \(text)\n".utf8)
    _ = line.withUnsafeBytes { Self.write(2, $0) }
  }

  private static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
