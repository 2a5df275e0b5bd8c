/// How often the producer of an open-loop series starts an operation.
public struct Pace: Codable, Equatable, Sendable {
  /// Operations per second.
  public let rate: Double
  /// How the times between them are spread.
  public let arrival: Arrival

  /// How the times between operations are spread.
  public enum Arrival: String, Codable, CaseIterable, Sendable {
    /// All alike.
    case const
    /// Exponentially, as those of many who know nothing of each other.
    case poisson
  }

  /// The rates that a schedule can be made for.
  public static let rates: ClosedRange<Double> = 0.1...10_000_000

  /// Makes a pace.
  ///
  /// - Precondition: `rates` contains `rate`.
  public init(rate: Double, arrival: Arrival = .const) {
    precondition(Self.rates.contains(rate), "Pace: rate must be in \(Self.rates), got \(rate)")
    self.rate = rate
    self.arrival = arrival
  }

  /// What `paced` has unless told otherwise: 1000 a second, evenly.
  public static let standard = Pace(rate: 1000)
}
