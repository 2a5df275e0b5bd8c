/// What a run asked of the machine beside its default: who runs first, how exact
/// sleeps are, and what competes.
public struct Conditions: Codable, Equatable, Sendable {
  /// The real-time priority of the threads that loopbench starts, first come,
  /// first served; `nil` for the ordinary policy.
  public var priority: Int?
  /// How much later than asked the system may wake the generator, in ns.
  public var slackNs: UInt64
  /// What runs beside it, as it was written: `cpu:2`.
  public var load: String

  /// Makes conditions.
  public init(priority: Int? = nil, slackNs: UInt64 = 1, load: String = BackgroundLoad.none.text) {
    self.priority = priority
    self.slackNs = slackNs
    self.load = load
  }

  /// Those of a run that asks for nothing.
  public static let standard = Conditions()

  /// The real-time priorities there are.
  public static let priorities = 1...99
}

extension Conditions {
  /// What is not standard, for people: "policy fifo:50 · load cpu:2".
  package var parts: [String] {
    [
      priority.map { "policy fifo:\($0)" },
      slackNs == Self.standard.slackNs ? nil : "timer slack \(TimeText.short(Double(slackNs)))",
      load == Self.standard.load ? nil : "load \(load)",
    ].compactMap { $0 }
  }
}
