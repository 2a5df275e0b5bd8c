/// What `doctor` judges a machine by. `nil` is what could not be read here.
public struct MachineFacts: Equatable, Sendable {
  /// As a report has it.
  public var machine: Machine
  /// CPUs the process may run on.
  public var allowedCPUs: Int
  /// CPUs' worth of time that a cgroup gives it; nil for no limit.
  public var quota: Double?
  /// The frequency governors of its CPUs, each once.
  public var governors: [String] = []
  /// Whether two of its CPUs may share a core; `nil` where unknown.
  public var hasSMT: Bool?
  /// Whether the kernel shares CPU time among sessions first, so that `nice` has
  /// no effect from one to the other.
  public var hasAutogroup: Bool?
  /// Transparent huge pages: `always`, `madvise` or `never`.
  public var hugePages: String?
  /// Whether addresses differ from run to run.
  public var randomizesAddresses: Bool?
  /// The kernel's clock.
  public var clockSource: String?
  /// How late the kernel may wake a sleeping thread, in ns.
  public var timerSlack: UInt64 = 0
  /// The part of CPU time the host gave to others since it started; nil where unknown.
  public var steal: Double?
  /// Runnable threads over the last minute, on average.
  public var load: Double = 0
  /// How many ns too long a sleep of 1 ms was: the median, and the worst.
  public var overshoot: Overshoot?
  /// The median cost of waking a loop on another CPU, in ns.
  public var wakeAcross: Double?
  /// The median cost of waking a loop on the same CPU, there and back, in ns.
  public var wakeSame: Double?
  /// The libuv that was compiled against.
  public var headerLibuv: String
  /// Descriptors the process may open; 0 where unknown.
  public var descriptorLimit: UInt64 = 0

  /// How much too long sleeps were, in ns.
  public struct Overshoot: Equatable, Sendable {
    /// The median.
    public var median: Double
    /// The largest.
    public var worst: Double

    /// Makes one from two figures.
    public init(median: Double, worst: Double) {
      self.median = median
      self.worst = worst
    }
  }

  /// Makes facts of which the rest is set later.
  public init(machine: Machine, allowedCPUs: Int, headerLibuv: String) {
    self.machine = machine
    self.allowedCPUs = allowedCPUs
    self.headerLibuv = headerLibuv
  }
}
