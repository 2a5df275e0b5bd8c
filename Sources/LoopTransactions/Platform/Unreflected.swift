/// A type that shows nothing of its state to `dump`, a debugger or a failed expectation.
///
/// Swift's reflection traps at atomics and at `unowned(unsafe)` references, and reads
/// values without the lock, or off the thread, that guards them. A derived class
/// inherits the empty mirror.
@usableFromInline
package protocol Unreflected: CustomReflectable {}

extension Unreflected {
  /// Empty.
  @usableFromInline
  package var customMirror: Mirror {
    Mirror(self, children: [:], ancestorRepresentation: .suppressed)
  }
}

extension BrieflyLocked: Unreflected where Value: ~Copyable {}
extension ProcessWide: Unreflected {}
