import Foundation

/// Carries an object of the loop through a `@Sendable` closure that runs on the
/// loop.
final class Handed<Value: AnyObject>: @unchecked Sendable {
  // @unchecked: `value` is set and read on the loop. Other threads only copy
  // the reference.

  weak var value: Value?

  init(_ value: Value) { self.value = value }
}

/// The name of the thread that created this value.
struct ThreadName: Sendable {
  private let number = pthread_self()

  var isCurrent: Bool { pthread_equal(number, pthread_self()) != 0 }
}

/// Holds an object of the loop. A test releases the object on another thread,
/// which must trap.
final class Kept: @unchecked Sendable {
  // @unchecked: only one thread at a time uses it.

  var value: AnyObject?

  init(_ value: AnyObject) { self.value = value }
}
