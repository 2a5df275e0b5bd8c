import Foundation
import LoopTransactions

/// A command on standard input.
enum Command: Hashable, Sendable {
  /// Changes the visible range to these pictures.
  case show(PositionRange)
  /// Cancels these pictures.
  case skip(PositionRange)
  /// Cancels all pictures, which ends the program.
  case quit

  /// Parses one line.
  init(parsing line: String) throws {
    let words = line.split(whereSeparator: \.isWhitespace)
    switch (words.first, words.count) {
    case ("show", 2): self = .show(try PositionRange(parsing: words[1]))
    case ("skip", 2): self = .skip(try PositionRange(parsing: words[1]))
    case ("quit", 1): self = .quit
    default:
      throw Failure("unknown command '\(line)'; use show FIRST-LAST, skip FIRST-LAST or quit")
    }
  }
}

/// Reads commands on a separate thread, because reading standard input blocks.
enum Commands {
  /// Starts the thread, which posts each command to the album's loop in order.
  static func read(for album: Album, by port: LoopPort) {
    // nonisolated(unsafe): only the posted closures use the album, and they run on
    // its loop.
    nonisolated(unsafe) let album = album
    Thread.detachNewThread {
      while let line = readLine() {
        do {
          let command = try Command(parsing: line)
          try port.post { album.perform(command) }
        } catch is LoopPort.PostError {
          return
        } catch {
          Console.printError("\(error)")
        }
      }
    }
  }
}
