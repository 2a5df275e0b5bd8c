import LoopTransactionsTesting
import LoopbenchKit

/// Distributions of samples, in ns, similar to those of loops.
enum Distribution: CaseIterable {
  case constant
  case uniform
  case exponential
  case twoModes
  case heavyTail
  case tiny

  func samples(_ count: Int, seed: UInt64) -> [Double] {
    var generator = SeededGenerator(seed: seed, stream: 0)
    return (0..<count).map { _ in value(Double(generator.number(below: 1 << 53)) / 0x1p53) }
  }

  /// - Parameter uniform: A uniformly distributed number from 0 to 1.
  private func value(_ uniform: Double) -> Double {
    switch self {
    case .constant: 1234.5
    case .uniform: 1 + uniform * 1e6
    case .exponential: 50 / (1.000001 - uniform).squareRoot().squareRoot()
    case .twoModes: uniform < 0.6 ? 5000 + uniform * 300 : 57_000 + uniform * 9000
    case .heavyTail: 100 / (1.0000001 - uniform)
    case .tiny: 0.4 + uniform
    }
  }
}

extension Histogram {
  init(of samples: some Sequence<Double>) {
    self.init()
    for sample in samples { record(nanoseconds: sample) }
  }
}
