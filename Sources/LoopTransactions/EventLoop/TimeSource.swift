/// What tells a loop the time: the system's clock, or a test's.
struct TimeSource {
  // Not retained, as counting references would cost more than the reading: the
  // loop keeps what it is. Nil: the system's clock.
  private let virtual: Unmanaged<VirtualTime>?

  /// The clock `virtual`, or else the system's.
  init(_ virtual: VirtualTime?) { self.virtual = virtual.map(Unmanaged.passUnretained) }

  /// Whether a test moves the clock.
  var isVirtual: Bool { virtual != nil }

  /// The present, in nanoseconds.
  @inline(__always)
  var nanoseconds: UInt64 {
    guard let virtual else { return System.nanoseconds }
    return virtual._withUnsafeGuaranteedRef { $0.nanoseconds }
  }
}
