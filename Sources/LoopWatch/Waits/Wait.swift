/// One wait for events that a watched thread recorded. Times are in nanoseconds of
/// the monotonic clock.
package struct Wait: Equatable, Sendable {
  /// The position among the waits of the thread, from 0.
  package var number: UInt64
  package var began: UInt64
  /// Nil while the thread waits.
  package var ended: UInt64?
  /// The begin of the tick before it, if it is known better than from the last wait.
  package var tickBegan: UInt64?
  package var source: WaitSource
  /// In milliseconds; nil if the wait had no timeout.
  package var timeout: Int?
  /// The number of events; negative after an error.
  package var events: Int
  /// The stack's address at the call, in units of 16 bytes; 0 if it is not known. It is
  /// lower in a function that is called by another one.
  package var stack: UInt32

  package init(
    number: UInt64,
    began: UInt64,
    ended: UInt64?,
    source: WaitSource,
    timeout: Int? = nil,
    events: Int = 0,
    stack: UInt32 = 0
  ) {
    (self.number, self.began, self.ended) = (number, began, ended)
    (self.source, self.timeout, self.events, self.stack) = (source, timeout, events, stack)
  }
}

/// A source of the waits of a program's threads.
package protocol WaitLog: AnyObject, Sendable {
  /// Looks at the threads. Called before each round of readings.
  func look(at now: UInt64)

  /// The threads whose waits are known.
  func threads() -> [RecordedThread]

  /// Calls `body` with each wait of an entry from number `first` on, oldest first. The
  /// last one may not have ended.
  func readWaits(entry: Int, from first: UInt64, _ body: (Wait) -> Void)

  /// The time at which the current wait of an entry's thread began; nil if it does not
  /// wait.
  func currentWaitBegan(entry: Int) -> UInt64?

  /// Tells that the next wait of an entry's thread for `source` ends a hold that may be
  /// late, or with nil that the thread does not hold its loop.
  ///
  /// - Returns: False if the thread may have waited since the hold began. The next round of
  ///   readings tells.
  @discardableResult
  func expectWait(entry: Int, for source: WaitSource?) -> Bool

  /// True if the thread of an entry waits now for `source`, or for any source if it is nil.
  /// Call from any thread.
  func isWaiting(entry: Int, for source: WaitSource?) -> Bool
}

/// A thread whose waits are known.
package struct RecordedThread: Hashable, Sendable {
  /// The number by which the log knows the thread.
  package let entry: Int
  package let process: Int32
  package let thread: Int32

  package init(entry: Int, process: Int32, thread: Int32) {
    (self.entry, self.process, self.thread) = (entry, process, thread)
  }
}

/// The events that a wait was for. A loop always waits for the same source, and a
/// loop that runs nested inside a callback has another one.
package enum WaitSource: Hashable, Sendable {
  /// `epoll_wait` and its variants, with the epoll descriptor.
  case epoll(descriptor: Int32)
  /// `poll`, `select` and their variants, with the place of the call in the program.
  /// Their descriptors may change from wait to wait.
  case poll(site: UInt32)
}
