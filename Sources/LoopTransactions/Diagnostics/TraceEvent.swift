/// One event of a trace.
struct TraceEvent: BitwiseCopyable, Equatable {
  /// The kind of an event.
  enum Kind: UInt8 {
    /// A tick begins. Ends all spans.
    case tickBegin = 1
    /// A tick ends. Ends all spans.
    case tickEnd
    /// A span begins. Ends the spans of its depth and deeper ones.
    case spanBegin
    /// Ends the spans of a depth and deeper ones.
    case spanEnd
    /// A mark of the user.
    case mark
    /// An arrow begins.
    case arrowBegin
    /// An arrow ends.
    case arrowEnd
    /// The counters of a scheduler.
    case counters
    /// A counter of the user.
    case counter
    /// A frame of a clock begins.
    case frame
  }

  /// The work that an arrow leads to. Keys of different topics are independent.
  enum Topic: UInt8 {
    case post = 1
    case commit
    case operation
    /// An object that the user names.
    case request
  }

  /// In nanoseconds of a virtual clock, or a value of `CycleClock.cycles`.
  var time: UInt64
  /// The `OwnerWord` of a span, or of the name of a mark, scheduler or counter.
  /// Of a frame, its lateness in nanoseconds.
  var name: UInt64
  /// The key of an arrow, or 0; the values of the counters, or of a counter; or
  /// the number of a frame.
  var value: UInt64
  /// The kind, the depth, the topic, and the number of the scheduler.
  var tag: UInt64

  init(time: UInt64, name: UInt64, value: UInt64, tag: UInt64) {
    (self.time, self.name, self.value, self.tag) = (time, name, value, tag)
  }

  @inline(__always)
  init(
    _ kind: Kind,
    at time: UInt64,
    name: UInt64 = 0,
    value: UInt64 = 0,
    depth: Int = 0,
    topic: Topic? = nil,
    scheduler: UInt32 = 0
  ) {
    let depth = UInt64(truncatingIfNeeded: depth & 0xFFFF)
    let topic = UInt64(topic?.rawValue ?? 0)
    self.init(
      time: time,
      name: name,
      value: value,
      tag: UInt64(kind.rawValue) | topic << 8 | depth << 16 | UInt64(scheduler) << 32
    )
  }

  var kind: Kind? { Kind(rawValue: UInt8(truncatingIfNeeded: tag)) }
  var topic: Topic? { Topic(rawValue: UInt8(truncatingIfNeeded: tag >> 8)) }
  var depth: Int { Int(tag >> 16 & 0xFFFF) }
  /// The `SchedulerCore.number` of an event with counters.
  var scheduler: UInt32 { UInt32(truncatingIfNeeded: tag >> 32) }

  /// The number of queued operations, and of workers that are awake.
  var counters: (queued: Int, workers: Int) { (Int(value & 0xFFFF_FFFF), Int(value >> 32)) }

  /// The key of the arrows of `operation`, or of an object that the user names.
  static func key(of operation: AnyObject) -> UInt64 {
    UInt64(UInt(addressOf: operation))
  }

  /// The value of an event with counters.
  static func value(queued: Int, workers: Int) -> UInt64 {
    UInt64(UInt32(clamping: queued)) | UInt64(UInt32(clamping: workers)) << 32
  }
}
