/// When the first peer of a series is measured a second time, as a peer of its
/// own: what the two differ by is noise.
public enum TwinRule: Equatable, Sendable {
  /// Where it is compared with another peer.
  case compared
  /// In every series, for a run that is compared with another run.
  case always
  /// Nowhere: then no difference can be told from noise.
  case never

  package func applies(toPeers count: Int) -> Bool {
    switch self {
    case .compared: count > 1
    case .always: count > 0
    case .never: false
    }
  }
}
