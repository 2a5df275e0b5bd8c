/// The reach of a range beyond the viewport, in multiples of the viewport's
/// length in the scroll direction.
public struct RangeTuning: Hashable, Sendable {
  /// The reach ahead of the scroll.
  public var leading: Double
  /// The reach behind the scroll.
  public var trailing: Double

  /// Creates a tuning.
  public init(leading: Double, trailing: Double) {
    self.leading = leading
    self.trailing = trailing
  }

  /// The range does not reach beyond the viewport.
  public static let none = RangeTuning(leading: 0, trailing: 0)
}

/// A mode that determines the reach of all ranges of a controller.
public enum RangeMode: Hashable, Sendable, CaseIterable {
  /// The full reach, which applies after the user has scrolled.
  case full
  /// A short reach, which applies before the user has scrolled.
  case minimum
  /// Only visible items are displayed.
  case visibleOnly
  /// No items are displayed, not even visible items. This mode is for content
  /// that is off screen while memory is low.
  case lowMemory
}

/// The place of an item relative to the viewport. Each place includes all
/// places that are listed after it.
public enum RangePlace: Int, Hashable, Sendable, Comparable {
  /// The item is too far away to be built.
  case outside
  /// The item is near enough to be built.
  case preload
  /// The item is near enough to be displayed.
  case display
  /// The item is in the viewport.
  case visible

  /// Returns whether `left` is further away than `right`.
  public static func < (left: RangePlace, right: RangePlace) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The tunings of all modes. The defaults are Texture's.
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
