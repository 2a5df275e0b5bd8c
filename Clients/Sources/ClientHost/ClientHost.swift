private import CGTK
private import Foundation
public import LoopTransactions
private import LoopTransactionsGLib

/// Runs the loop of a client program, and reads its commands from standard input.
///
/// The loop runs by itself. With the option `--gtk` it is a source of GTK's main loop,
/// beside a window.
public final class ClientHost {
  private let loop: EventLoop
  private let name: String
  // GTK's main loop, if the program runs inside it.
  private var main: OpaquePointer?
  private var host: GLibHost?
  private var input: DescriptorWatcher?
  private var text: [UInt8] = []

  /// The arguments of the program, without options.
  public let arguments: [String]

  /// Creates a host of `loop`.
  ///
  /// - Parameter name: The name of the program, and the title of its window.
  public init(_ loop: EventLoop, name: String) {
    (self.loop, self.name) = (loop, name)
    arguments = CommandLine.arguments.dropFirst().filter { $0 != "--gtk" }
    // A server may close a connection during a write.
    signal(SIGPIPE, SIG_IGN)
    guard CommandLine.arguments.contains("--gtk") else { return }
    guard gtk_init_check() != 0, let window = gtk_window_new() else {
      fail("cannot open the display")
    }
    gtk_window_set_child(window, gtk_label_new(name))
    gtk_window_present(window)
    main = g_main_loop_new(nil, 0)
    host = GLibHost(loop)
  }

  /// Calls `line` with each line of standard input, and with nil at its end.
  ///
  /// The line `ticks` is answered here: with the number of the loop's ticks.
  public func readLines(_ line: @escaping (String?) -> Void) {
    do {
      input = try loop.watch(STDIN_FILENO, for: .readable) { [unowned self] _ in
        if !read(line) { input?.cancel() }
      }
    } catch {
      // A file cannot be polled, and a read of it does not wait.
      while read(line) {}
    }
  }

  /// Reads lines once. Returns false at the end of the input.
  private func read(_ line: (String?) -> Void) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = max(Foundation.read(STDIN_FILENO, &bytes, bytes.count), 0)
    text += bytes[..<count]
    let end = text.lastIndex(of: 10).map { $0 + 1 } ?? 0
    let lines = text[..<end].split(separator: 10)
    text.removeFirst(end)
    for bytes in lines {
      let word = String(decoding: bytes, as: UTF8.self)
      if word == "ticks" { say("ticks \(loop.metrics.ticks)") } else { line(word) }
    }
    if count == 0 { line(nil) }
    return count > 0
  }

  /// Runs the loop until `stop()`, and closes it.
  public func run() throws {
    if let main { g_main_loop_run(main) } else { loop.run() }
    input?.cancel()
    host?.cancel()
    if let main { g_main_loop_unref(main) }
    try loop.close()
  }

  /// Makes `run()` return.
  public func stop() { if let main { g_main_loop_quit(main) } else { loop.stop() } }

  /// Ends the program with a message.
  public func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\(name): \(message)\n".utf8))
    exit(1)
  }
}

/// Prints a line at once, also to a pipe.
public func say(_ line: String) {
  print(line)
  fflush(nil)
}

/// The pointer that a library passes to its callbacks.
public func pointer(to object: AnyObject) -> UnsafeMutableRawPointer {
  Unmanaged.passUnretained(object).toOpaque()
}

/// The object of a pointer that `pointer(to:)` returned.
public func object<T: AnyObject>(_ type: T.Type, at pointer: UnsafeMutableRawPointer?) -> T? {
  pointer.map { Unmanaged<T>.fromOpaque($0).takeUnretainedValue() }
}
