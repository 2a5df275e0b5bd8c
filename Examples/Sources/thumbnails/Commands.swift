import Foundation
import LoopTransactions

/// What a line of standard input wants.
enum Command: Hashable, Sendable {
  /// These are visible now.
  case show(Rows)
  /// Nobody wants these.
  case skip(Rows)
  /// Nobody wants anything more.
  case quit

  /// What `line` says.
  init(parsing line: String) throws {
    let words = line.split(whereSeparator: \.isWhitespace)
    switch (words.first, words.count) {
    case ("show", 2): self = .show(try Rows(parsing: words[1]))
    case ("skip", 2): self = .skip(try Rows(parsing: words[1]))
    case ("quit", 1): self = .quit
    default: throw Failure("'\(line)' is no command: show FIRST-LAST, skip FIRST-LAST, or quit")
    }
  }
}

/// Reads standard input, which blocks, on a thread of its own.
enum Commands {
  /// Has the loop of `port` do what each line says, in their order.
  static func read(for album: Album, by port: LoopPort) {
    // Carried to the loop by a post, and touched nowhere else.
    nonisolated(unsafe) let album = album
    Thread.detachNewThread {
      while let line = readLine() {
        do {
          let command = try Command(parsing: line)
          try port.post { album.perform(command) }
        } catch is LoopPort.PostError {
          return
        } catch {
          Console.complain("\(error)")
        }
      }
    }
  }
}
