private import CLoopbench

/// The CPUs of the loop's thread and of the producer's thread.
public struct Placement: Codable, Equatable, Sendable {
  /// The number of CPUs that the process may use.
  package let cpuCount: Int
  /// The loop's CPU; `nil` if the system cannot place threads.
  package let loop: Int?
  /// The producer's CPU in `across`; `nil` if there is no second CPU.
  package let producer: Int?

  /// Makes a placement on the given CPUs.
  package init(cpuCount: Int, loop: Int?, producer: Int?) {
    self.cpuCount = cpuCount
    self.loop = loop
    self.producer = producer
  }

  /// Chooses the first CPU that the process was allowed to use when it started for
  /// the producer, and the second for the loop.
  package static func detect() -> Placement {
    let cpus = allowedCPUs
    guard let first = cpus.first else {
      return Placement(cpuCount: Machine.cpuCount, loop: nil, producer: nil)
    }
    return cpus.count == 1
      ? Placement(cpuCount: 1, loop: first, producer: nil)
      : Placement(cpuCount: cpus.count, loop: cpus[1], producer: first)
  }

  /// The CPUs that the process was allowed to use when it started; empty if threads
  /// cannot be placed.
  package static var allowedCPUs: [Int] {
    var cpus = [Int32](repeating: 0, count: 1024)
    let count = Int(cl_allowed_cpus(&cpus, Int32(cpus.count)))
    return cpus.prefix(count).map(Int.init)
  }
}

extension Placement {
  /// "loop on CPU 1, producer on CPU 0".
  package var text: String {
    guard let loop else { return "threads not placed" }
    return "loop on CPU \(loop)" + (producer.map { ", producer on CPU \($0)" } ?? "")
  }

  /// Where a series places its threads.
  public enum Rule: Sendable {
    /// Everything happens on the loop's thread. There is no producer.
    case loop
    /// The producer and the loop are on different CPUs.
    case across
    /// The producer and the loop are on one CPU.
    case same
    /// No thread is placed, because the threads of a pool cannot be placed.
    case anywhere
  }

  /// A CPU for each thread; `nil` means any CPU.
  public struct Seats: Equatable, Sendable {
    /// The loop's CPU.
    public let loop: Int?
    /// The producer's CPU.
    public let producer: Int?

    package init(loop: Int?, producer: Int?) {
      self.loop = loop
      self.producer = producer
    }
  }

  /// Returns the seats for `rule`, or the reason why this machine cannot provide
  /// them.
  package func seats(for rule: Rule) -> Result<Seats, LoopbenchError> {
    switch rule {
    case .loop: .success(Seats(loop: loop, producer: nil))
    case .across where cpuCount < 2: .failure(.unavailable("it needs 2 CPUs, there is 1"))
    case .across: .success(Seats(loop: loop, producer: producer))
    case .same where loop == nil:
      .failure(.unavailable("threads cannot be placed on this system"))
    case .same: .success(Seats(loop: loop, producer: loop))
    case .anywhere: .success(Seats(loop: nil, producer: nil))
    }
  }
}
