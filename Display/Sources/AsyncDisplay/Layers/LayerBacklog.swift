/// Layers that are to be begun. Of the loop.
///
/// By what holds them back: what is drawn on the loop nothing, what needs no memory the
/// budget alone.
struct LayerBacklog {
  /// What a layer waits for.
  enum Kind: Int, CaseIterable {
    /// Its tick: it is drawn on the loop.
    case onLoop
    /// Time.
    case light
    /// Time, and memory.
    case heavy
  }

  /// Where a layer waits.
  struct Place {
    fileprivate let kind: Kind
    fileprivate let place: Backlog<DisplayCore>.Place
  }

  private var lists = Kind.allCases.map { _ in Backlog<DisplayCore>() }
  // How many came so far: equal ones are begun in that order, whatever their kind.
  private var arrivals: UInt64 = 0

  /// How many wait.
  var count: Int { lists.reduce(0) { $0 + $1.count } }

  /// Whether none waits, of those up to `kind`.
  func isEmpty(upTo kind: Kind = .heavy) -> Bool {
    lists[...kind.rawValue].allSatisfy(\.isEmpty)
  }

  /// The first of those up to `kind`.
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

  /// Adds `core`, whose layer is there, behind those as urgent.
  mutating func append(_ core: DisplayCore, _ layer: Layer) {
    let kind = Kind(layer)
    arrivals += 1
    let place = lists[kind.rawValue].append(core, layer.priority, number: arrivals)
    core.place = Place(kind: kind, place: place)
  }

  /// Takes `core` away, if it waits.
  mutating func remove(_ core: DisplayCore) {
    guard let place = core.place else { return }
    core.place = nil
    lists[place.kind.rawValue].remove(place.place)
  }

  /// Those that are not drawn on the loop, the most urgent first of each kind.
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
