import LoopbenchKit

/// The output of `loopbench` without arguments: the purpose of `watch`, the programs that
/// it can watch now, and the other commands.
struct FirstScreen {
  private let context: Context
  private let loops: Context.LoopLister
  private let width: Int
  private let style: OutputStyle
  private var program: String { context.programName }

  /// The number of programs in the list. The screen then has at most 24 lines of 80 columns.
  private static let most = 4

  /// Nil if the command line has arguments, or if the program has no such screen.
  init?(_ context: Context) {
    guard let loops = context.loops, context.arguments.count <= 1 else { return nil }
    style = context.outputStyle(Options())
    (self.context, self.loops, width) = (context, loops, style.width ?? 80)
  }

  func text() -> String {
    let text = String(blocks: [purpose, watching, list, commands])
    return style.isASCII ? ASCII.text(text) : text
  }

  private var purpose: [String] {
    let text =
      "\(program) watch finds the event loops of a program, and says why they were late: the code"
      + " that ran, a blocking call, a lock, other programs, or a quota. It works for Node.js,"
      + " Python, GTK, Redis, Rust, Swift and others. The program is not changed, and no root is"
      + " needed."
    return ["Why is the event loop of a program late?", ""] + text.wrapped(to: width)
  }

  private var watching: [String] {
    rows([
      ("\(program) watch -- COMMAND", "start a program and watch it"),
      ("\(program) watch --pid PID", "watch a program that runs"),
    ])
  }

  private var list: [String] {
    do {
      return try loops(Self.most, width, program)
    } catch {
      return "The programs that run are not listed: \(error).".wrapped(to: width)
    }
  }

  private var commands: [String] {
    let shown: Set<Command.Name> = [.compareLibuv, .trace, .help]
    let others = Command.table(in: context.registry).map(\.name).filter { !shown.contains($0) }
    return rows([
      ("\(program) compare-libuv", "how late are a loop of this library and one of libuv?"),
      ("\(program) trace FILE", "draw the trace of a program with this library"),
      ("\(program) help COMMAND", others.map(\.rawValue).joined(separator: ", ")),
    ])
  }

  /// Commands in bold with their meanings beside them, or below them if the screen is narrow.
  private func rows(_ rows: [(command: String, meaning: String)]) -> [String] {
    let ansi = ANSIStyle(isOn: style.usesColor)
    let widest = (rows.map(\.command.count).max() ?? 0) + 4
    let isWide = widest + 20 <= width
    return rows.flatMap { row in
      let indent = isWide ? widest : 4
      let lines = row.meaning.indented(by: indent).wrapped(to: width, indent: indent)
      let command = "  " + ansi.bold(row.command)
      guard isWide, let first = lines.first else { return [command] + lines }
      let gap = "".padded(to: widest - row.command.count - 2)
      return [command + gap + first.dropFirst(indent)] + lines.dropFirst()
    }
  }
}
