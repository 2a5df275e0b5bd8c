/// How far a range reaches beyond the viewport, in screenfuls: lengths of the viewport
/// along the scroll.
public struct RangeTuning: Hashable, Sendable {
  /// Ahead of the scroll.
  public var leading: Double
  /// Behind it.
  public var trailing: Double

  /// So far ahead, and behind.
  public init(leading: Double, trailing: Double) {
    self.leading = leading
    self.trailing = trailing
  }

  /// No further than the viewport.
  public static let none = RangeTuning(leading: 0, trailing: 0)
}

/// How far all ranges of a controller reach.
public enum RangeMode: Hashable, Sendable, CaseIterable {
  /// As far as they may: somebody scrolls.
  case full
  /// Little: nobody has scrolled yet.
  case minimum
  /// Only what can be seen.
  case visibleOnly
  /// Nothing is displayed, what can be seen neither. For what is on no screen while
  /// memory is short.
  case lowMemory
}

/// Where an item is, seen from the viewport. Each place contains those after it.
public enum RangePlace: Int, Hashable, Sendable, Comparable {
  /// Too far for anything.
  case outside
  /// Near enough to be built.
  case preload
  /// Near enough to be displayed.
  case display
  /// In the viewport.
  case visible

  /// Whether `left` is further away than `right`.
  public static func < (left: RangePlace, right: RangePlace) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The tunings of every mode. Texture's defaults.
struct RangeTunings: Hashable, Sendable {
  private var display: [RangeMode: RangeTuning] = [
    .full: RangeTuning(leading: 1, trailing: 0.5),
    .minimum: RangeTuning(leading: 0.25, trailing: 0.25),
  ]
  private var preload: [RangeMode: RangeTuning] = [
    .full: RangeTuning(leading: 2.5, trailing: 1.5),
    .minimum: RangeTuning(leading: 0.5, trailing: 0.25),
  ]

  subscript(mode: RangeMode, place: RangePlace) -> RangeTuning {
    get { (place == .preload ? preload : display)[mode] ?? .none }
    set {
      if place == .preload { preload[mode] = newValue } else { display[mode] = newValue }
    }
  }
}
