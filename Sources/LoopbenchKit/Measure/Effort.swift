/// How much of a series is measured in one slice, the same for every peer.
public struct Effort: Equatable, Sendable {
  /// Batches that run before, and are not recorded.
  public let warmUps: Int
  /// Samples that are recorded.
  public let samples: Int
  /// Operations in one sample; the sample is their mean when there are several.
  public let operations: Int

  /// Makes an effort.
  ///
  /// - Precondition: `samples` and `operations` are at least 1.
  public init(warmUps: Int, samples: Int, operations: Int) {
    precondition(
      warmUps >= 0 && samples > 0 && operations > 0,
      "Effort: samples and operations must be at least 1"
    )
    self.warmUps = warmUps
    self.samples = samples
    self.operations = operations
  }
}
