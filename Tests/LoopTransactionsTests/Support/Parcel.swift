/// An element of a queue.
final class Parcel: Sendable {
  let name: String

  /// A parcel called `name`.
  init(_ name: String) { self.name = name }
}
