import LoopTransactions
import LoopbenchKit

/// The load of a loop, for `loopbench replay`.
///
/// The records of waits tell when a tick began, how long it took and how many events it
/// handled. They do not tell when an event arrived during another tick, or how long its
/// callback took. The load spreads such events evenly over that tick, and divides a tick
/// evenly among its events.
package struct WatchLoad: Sendable {
  package var thread = ""
  /// The ticks, oldest first.
  package var ticks: [Hold] = []

  /// The number of ticks that a thread keeps.
  package static let mostTicks = Replay.Limit.entries

  package init() {}

  package init(thread: String, ticks: [Hold]) { (self.thread, self.ticks) = (thread, ticks) }

  /// An event: its time and its cost, in ns.
  package struct Event: Equatable, Sendable {
    package let time: UInt64
    package let cost: UInt64

    package init(time: UInt64, cost: UInt64) { (self.time, self.cost) = (time, cost) }
  }

  // A wait that takes longer has slept, so its event arrived when it ended. Not measured.
  private static let shortWait: UInt64 = 20_000

  /// The last events that a file has room for, in the order of their times.
  package var events: [Event] {
    var (events, previous): ([Event], Hold?) = ([], nil)
    var room = Replay.Limit.entries
    let first = ticks.lastIndex { tick in
      room -= max(tick.events, 1)
      return room < 0
    }
    for tick in ticks[(first.map { $0 + 1 } ?? 0)...] {
      let count = UInt64(max(tick.events, 1))
      for number in 1...count {
        var time = tick.began
        if let previous, tick.began.since(previous.ended) < Self.shortWait {
          // The event arrived during the previous tick.
          time = previous.began + previous.length * number / (count + 1)
        }
        let cost = tick.length * number / count - tick.length * (number - 1) / count
        events.append(Event(time: time, cost: cost))
      }
      previous = tick
    }
    return events
  }
}

extension WatchLoad {
  /// The events as a file for `loopbench replay`.
  package func text(program: String) -> String {
    let all = events
    let end = all.last?.time ?? 0
    let last = all.drop { end - $0.time > UInt64(Replay.Limit.time) * 1000 }
    let (began, target) = (last.first?.time ?? 0, thread.replayWord)
    var text = header(program)
    for (index, event) in last.enumerated() {
      let cost = min(event.cost / 1000, UInt64(Replay.Limit.cost))
      // The actions differ, because the events of a program must not be coalesced.
      let action = index % Replay.Limit.actions
      text += "\((event.time - began) / 1000) 1 \(target) event.\(action) \(cost)\n"
    }
    return text
  }

  // 50: a line has at most 256 bytes.
  private func header(_ program: String) -> String {
    """
    loopreplay 1
    # \(program.escapingControls().prefix(50)), thread \(thread.replayWord)
    # Recorded by loopbench watch. Each line is an event of the loop. The time of a tick is
    # divided evenly among its events. Events that arrived during a tick are spread evenly
    # over it, because their times are not known.

    """
  }
}

extension String {
  /// The text as a word of a recorded load.
  fileprivate var replayWord: String {
    let scalars = unicodeScalars.prefix(Replay.Limit.word).map { scalar in
      let isAllowed =
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isAllowed ? scalar : "_"
    }
    return scalars.isEmpty ? "loop" : String(UnicodeScalarView(scalars))
  }
}
