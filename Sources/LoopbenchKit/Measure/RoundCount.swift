/// How long a run is.
public enum RoundCount: Equatable, Sendable {
  /// As many rounds as stated.
  case fixed(Int)
  /// As many as fit `nanoseconds`, the warm-up included, but at least 10 and at
  /// most 30.
  case fitting(nanoseconds: UInt64)
  /// Until every contender was measured for `perContender` ns on average, or has
  /// `samples` samples, whichever comes first; the round that gets there is ended.
  case until(perContender: UInt64? = nil, samples: UInt64? = nil)

  /// What `loopbench` does alone: about 20 s.
  public static let standard = RoundCount.fitting(nanoseconds: 19_000_000_000)

  /// The fewest rounds whose median means something.
  public static let least = 10
  private static let most = 30

  /// Whether another round follows `done` recorded ones.
  ///
  /// - Parameters:
  ///   - elapsedNs: Since the warm-up began.
  ///   - roundNs: What the last round took.
  ///   - recordedNs: Since the first recorded round began.
  ///   - samples: Of the contender with the fewest.
  package func continues(
    after done: Int,
    elapsedNs: UInt64,
    roundNs: UInt64,
    recordedNs: UInt64 = 0,
    samples: UInt64 = 0,
    contenders: Int = 1
  ) -> Bool {
    switch self {
    case .fixed(let count): done < count
    case .fitting(let nanoseconds):
      done < Self.least || (done < Self.most && elapsedNs + roundNs <= nanoseconds)
    case .until(let time, let count):
      done == 0
        || ((time != nil || count != nil)
          && time.map { recordedNs < Self.total($0, contenders) } ?? true
          && count.map { samples < $0 } ?? true)
    }
  }

  /// How many rounds there will be if each takes `roundNs`, with `samples` samples
  /// of the contender with the fewest.
  package func estimate(roundNs: UInt64, samples: UInt64 = 0, contenders: Int = 1) -> Int {
    switch self {
    case .fixed(let count): return count
    case .fitting(let nanoseconds):
      return min(Self.most, max(Self.least, Int(nanoseconds / max(1, roundNs)) - 1))
    case .until(let time, let count):
      let byTime = time.map { Self.rounds(Self.total($0, contenders), of: roundNs) }
      let bySamples = count.map { Self.rounds($0, of: samples) }
      return [byTime, bySamples].compactMap { $0 }.min() ?? 1
    }
  }

  private static func total(_ perContender: UInt64, _ contenders: Int) -> UInt64 {
    let (total, overflows) = perContender.multipliedReportingOverflow(by: UInt64(contenders))
    return overflows ? .max : total
  }

  private static func rounds(_ whole: UInt64, of part: UInt64) -> Int {
    let part = max(1, part)
    return Int(clamping: max(1, whole / part + (whole % part == 0 ? 0 : 1)))
  }
}
