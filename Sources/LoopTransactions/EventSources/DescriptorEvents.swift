/// The events of a descriptor that a `DescriptorWatcher` waits for.
public struct DescriptorEvents: OptionSet, Hashable, Sendable {
  /// The bits of the set. The first four are libuv's.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// There is data to read, a connection to accept, or the end of the stream.
  public static let readable = DescriptorEvents(rawValue: 1)

  /// A write would not block.
  public static let writable = DescriptorEvents(rawValue: 2)

  /// The other side will send no more. Unread data may remain.
  public static let hangUp = DescriptorEvents(rawValue: 4)

  /// There is urgent data, or a file of the kernel has changed (`POLLPRI`).
  public static let priority = DescriptorEvents(rawValue: 8)

  /// The next read or write returns an error. Always reported; a watcher need
  /// not ask for it.
  public static let error = DescriptorEvents(rawValue: 16)
}

extension DescriptorEvents: CustomStringConvertible {
  /// The names of the events, such as `[readable, hangUp]`.
  public var description: String {
    let names: [(DescriptorEvents, String)] = [
      (.readable, "readable"), (.writable, "writable"), (.hangUp, "hangUp"),
      (.priority, "priority"), (.error, "error"),
    ]
    return "[\(names.filter { contains($0.0) }.map(\.1).joined(separator: ", "))]"
  }
}

/// The events that one watcher waits for, and the events that have ended.
///
/// A descriptor that is hung up stays ready without end. So each watcher is
/// notified of the end once, and the events that cannot happen again are no
/// longer polled. E1.
package struct DescriptorInterest: Equatable {
  /// The requested events.
  package private(set) var wanted: DescriptorEvents

  /// The events that the watcher was notified of for the last time.
  private(set) var ended: DescriptorEvents = []

  package init(_ wanted: DescriptorEvents) { self.wanted = wanted.intersection(.requestable) }

  /// The events to poll for.
  package var polled: DescriptorEvents { wanted.subtracting(ended) }

  /// Sets the requested events. If they differ from the requested ones so far,
  /// polls for all of them, also for events that have ended, and returns true.
  package mutating func want(_ events: DescriptorEvents) -> Bool {
    let changed = DescriptorInterest(events)
    guard changed.wanted != wanted else { return false }
    self = changed
    return true
  }

  /// Polls again for all requested events.
  package mutating func resume() { ended = [] }

  /// Returns the events to notify the watcher of, empty if there are none.
  package mutating func receive(_ report: DescriptorReport) -> DescriptorEvents {
    let polled = polled
    guard !polled.isEmpty else { return [] }
    let ready = report.events.intersection(polled)
    switch report.stage {
    case .open: return ready
    case .halfClosed: return receiveHalfClose(ready, report)
    // A reader gets the remaining data first.
    case .hungUp where report.hasUnread && polled.contains(.readable):
      return ready.subtracting(.hangUp)
    case .hungUp:
      ended = .requestable
      return ready.union(.hangUp)
    case .failed(let isHungUp):
      ended = .requestable
      // libuv adds all polled events, also the hang-up, to an error that comes alone.
      let isPriority = ready.contains(.priority) && !report.events.contains(.hangUp)
      let kept: DescriptorEvents = [.readable, .writable, isPriority ? .priority : []]
      let result = polled.intersection(kept).union(.error)
      return isHungUp ? result.union(.hangUp) : result
    }
  }

  private mutating func receiveHalfClose(
    _ ready: DescriptorEvents,
    _ report: DescriptorReport
  ) -> DescriptorEvents {
    ended.formUnion(ready.intersection(.hangUp))
    guard !report.hasUnread, polled.contains(.readable) else { return ready }
    ended.formUnion([.readable, .hangUp])
    return ready.union([.readable, .hangUp])
  }
}

/// A report of libuv and the system about a descriptor.
package struct DescriptorReport: Equatable {
  /// How far a descriptor is from its end.
  package enum Stage: Equatable {
    case open
    /// The other side sends no more, but still receives.
    case halfClosed
    /// Neither side sends any more.
    case hungUp
    /// The next read or write returns an error.
    case failed(isHungUp: Bool)
  }

  let events: DescriptorEvents
  let stage: Stage
  /// The number of bytes to read.
  let unread: Int32

  var hasUnread: Bool { unread > 0 }

  package init(events: DescriptorEvents, stage: Stage = .open, unread: Int32 = 0) {
    self.events = events
    self.stage = stage
    self.unread = unread
  }

  /// Whether the descriptor stays ready, whichever events are polled.
  var isFinal: Bool {
    switch stage {
    case .open, .halfClosed: false
    case .hungUp, .failed: true
    }
  }
}

extension DescriptorReport {
  /// A report of `events` for a descriptor in `condition`.
  ///
  /// - Parameter hasFailed: Whether libuv stopped polling because of an error.
  init(_ events: DescriptorEvents, _ condition: DescriptorCondition, hasFailed: Bool) {
    let stage: Stage =
      if hasFailed || condition.hasError {
        .failed(isHungUp: condition.isHungUp)
      } else if condition.isHungUp {
        .hungUp
      } else {
        .halfClosed
      }
    self.init(events: events, stage: stage, unread: condition.unread)
  }
}

extension DescriptorEvents {
  /// The events that libuv polls for.
  static let requestable: DescriptorEvents = [.readable, .writable, .hangUp, .priority]
}
