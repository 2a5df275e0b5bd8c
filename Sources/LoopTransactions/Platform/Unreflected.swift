/// A type that hides its state from `dump`, debuggers and failed expectations.
///
/// Swift's reflection traps at atomics and at `unowned(unsafe)` references. It
/// also reads values without taking their lock, or on the wrong thread. A
/// subclass inherits the empty mirror.
@usableFromInline
package protocol Unreflected: CustomReflectable {}

extension Unreflected {
  /// An empty mirror.
  @usableFromInline
  package var customMirror: Mirror {
    Mirror(self, children: [:], ancestorRepresentation: .suppressed)
  }
}

extension AdaptiveLock: Unreflected where Value: ~Copyable {}
extension ProcessWide: Unreflected {}
