/// The clock that a loop reads: the system's clock, or a virtual clock in
/// tests.
struct TimeSource {
  // Not retained, because counting references would cost more than reading the
  // clock. The loop retains it. Nil means the system's clock.
  private let virtual: Unmanaged<VirtualTime>?

  /// Creates a source that reads `virtual`, or the system's clock if nil.
  init(_ virtual: VirtualTime?) { self.virtual = virtual.map(Unmanaged.passUnretained) }

  /// Whether the clock is virtual.
  var isVirtual: Bool { virtual != nil }

  /// The current time, in nanoseconds.
  @inline(__always)
  var nanoseconds: UInt64 {
    guard let virtual else { return System.nanoseconds }
    return virtual._withUnsafeGuaranteedRef { $0.nanoseconds }
  }
}
