// By hand: figures stand beside the keys that every result has, under names that only
// their scenario knows.
extension Report.Result {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private enum Known: String, CodingKey, CaseIterable {
    case scenario, peer, series, kind, isTwin, isReference, companionOf, samplesPerRound, unit
    case count, missed, counts, min, max, mean, stddev, percentiles, undisturbed, histogram
    case perRound
  }

  /// Writes it, its figures beside the rest.
  public func encode(to encoder: any Encoder) throws {
    var all = encoder.container(keyedBy: Known.self)
    try all.encode(scenario, forKey: .scenario)
    try all.encode(peer, forKey: .peer)
    try all.encode(series, forKey: .series)
    try all.encode(kind, forKey: .kind)
    try all.encode(isTwin, forKey: .isTwin)
    try all.encodeIfPresent(isReference, forKey: .isReference)
    try all.encodeIfPresent(companionOf, forKey: .companionOf)
    try all.encodeIfPresent(samplesPerRound, forKey: .samplesPerRound)
    try all.encode(unit, forKey: .unit)
    try all.encode(count, forKey: .count)
    try all.encode(missed, forKey: .missed)
    try all.encode(counts, forKey: .counts)
    try all.encode(min, forKey: .min)
    try all.encode(max, forKey: .max)
    try all.encode(mean, forKey: .mean)
    try all.encode(stddev, forKey: .stddev)
    try all.encode(percentiles, forKey: .percentiles)
    try all.encodeIfPresent(undisturbed, forKey: .undisturbed)
    try all.encode(histogram, forKey: .histogram)
    try all.encode(perRound, forKey: .perRound)
    var own = encoder.container(keyedBy: Key.self)
    for (name, value) in figures { try own.encode(value, forKey: Key(stringValue: name)) }
  }

  /// Reads it; a number under a key that is not known is a figure.
  public init(from decoder: any Decoder) throws {
    let all = try decoder.container(keyedBy: Known.self)
    scenario = try all.decode(String.self, forKey: .scenario)
    peer = try all.decode(String.self, forKey: .peer)
    series = try all.decode(String.self, forKey: .series)
    kind = try all.decode(Series.Kind.self, forKey: .kind)
    isTwin = try all.decode(Bool.self, forKey: .isTwin)
    isReference = try all.decodeIfPresent(Bool.self, forKey: .isReference)
    companionOf = try all.decodeIfPresent(String.self, forKey: .companionOf)
    samplesPerRound = try all.decodeIfPresent(Int.self, forKey: .samplesPerRound)
    unit = try all.decode(String.self, forKey: .unit)
    count = try all.decode(UInt64.self, forKey: .count)
    missed = try all.decode(UInt64.self, forKey: .missed)
    counts = try all.decode([String: UInt64].self, forKey: .counts)
    min = try all.decode(Double.self, forKey: .min)
    max = try all.decode(Double.self, forKey: .max)
    mean = try all.decode(Double.self, forKey: .mean)
    stddev = try all.decode(Double.self, forKey: .stddev)
    percentiles = try all.decode([String: Double].self, forKey: .percentiles)
    undisturbed = try all.decodeIfPresent(Report.Undisturbed.self, forKey: .undisturbed)
    histogram = try all.decode(HistogramData.self, forKey: .histogram)
    perRound = try all.decode([SeriesRound].self, forKey: .perRound)
    let own = try decoder.container(keyedBy: Key.self)
    var figures: [String: Double] = [:]
    for key in own.allKeys where Known(stringValue: key.stringValue) == nil {
      // try?: what a later version adds need not be a number.
      if let value = try? own.decode(Double.self, forKey: key) {
        figures[key.stringValue] = value
      }
    }
    self.figures = figures
  }
}
