/// A type that hides its state from `dump`, debuggers and failed expectations.
///
/// Swift's reflection traps at atomics and at `unowned(unsafe)` references. It
/// also reads values without the lock, or off the thread, that protects them. A
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
