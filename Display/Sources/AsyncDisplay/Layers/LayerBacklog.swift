/// The layers that wait for the display commit. Belongs to the loop.
///
/// Layers are grouped by the resources they wait for.
struct LayerBacklog {
  /// The resources that a layer needs before its display can begin.
  enum Kind: Int, CaseIterable {
    /// The layer needs no resources, because it is drawn on the loop.
    case onLoop
    /// The layer needs some of the commit's budget.
    case light
    /// The layer needs some of the commit's budget, and memory.
    case heavy
  }

  /// The position of a layer in the queue.
  struct Place {
    fileprivate let kind: Kind
    fileprivate let place: Backlog<DisplayCore>.Place
  }

  private var lists = Kind.allCases.map { _ in Backlog<DisplayCore>() }
  // The number of layers added so far. It becomes the arrival number of the next
  // layer. Layers of equal priority begin in the order of their arrival numbers,
  // regardless of their kind.
  private var arrivals: UInt64 = 0

  /// The number of waiting layers.
  var count: Int { lists.reduce(0) { $0 + $1.count } }

  /// Returns whether no layer of `kind` or a less demanding kind waits.
  func isEmpty(upTo kind: Kind = .heavy) -> Bool {
    lists[...kind.rawValue].allSatisfy(\.isEmpty)
  }

  /// Returns the first waiting layer of `kind` or a less demanding kind.
  func first(upTo kind: Kind) -> (core: DisplayCore, kind: Kind)? {
    var best: (rank: (level: Int, number: UInt64), kind: Kind)?
    for each in Kind.allCases[...kind.rawValue] {
      guard let rank = lists[each.rawValue].firstRank else { continue }
      guard let (other, _) = best else {
        best = (rank, each)
        continue
      }
      if rank.level > other.level || (rank.level == other.level && rank.number < other.number) {
        best = (rank, each)
      }
    }
    return best.flatMap { best in lists[best.kind.rawValue].first.map { ($0, best.kind) } }
  }

  /// Appends `core`, the core of `layer`, after the layers of equal priority.
  mutating func append(_ core: DisplayCore, _ layer: Layer) {
    let kind = Kind(layer)
    arrivals += 1
    let place = lists[kind.rawValue].append(core, layer.priority, number: arrivals)
    core.place = Place(kind: kind, place: place)
  }

  /// Removes `core` if it is queued.
  mutating func remove(_ core: DisplayCore) {
    guard let place = core.place else { return }
    core.place = nil
    lists[place.kind.rawValue].remove(place.place)
  }

  /// The layers that are drawn on workers. The light layers come first, then
  /// the heavy layers. Each group is sorted by priority.
  ///
  /// - Complexity: O(n).
  var asynchronous: [DisplayCore] {
    lists[Kind.light.rawValue].elements + lists[Kind.heavy.rawValue].elements
  }
}

extension LayerBacklog.Kind {
  init(_ layer: Layer) {
    self = !layer.displaysAsynchronously ? .onLoop : layer.byteCount > 0 ? .heavy : .light
  }
}
