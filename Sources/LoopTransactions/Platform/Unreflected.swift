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

extension Mirror {
  /// Shows `children` of `subject` instead of its stored properties.
  package init<Subject>(_ subject: Subject, showing children: [(String, Any)]) {
    let children = children.map { Child(label: $0.0, value: $0.1) }
    self.init(subject, children: children, ancestorRepresentation: .suppressed)
  }
}
