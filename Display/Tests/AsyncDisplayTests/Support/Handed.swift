import Foundation

/// Something of the loop's, carried through a closure that runs on the loop.
final class Handed<Value: AnyObject>: @unchecked Sendable {
  // @unchecked: made and read on the loop; only the reference travels.

  weak var value: Value?

  init(_ value: Value) { self.value = value }
}

/// The thread that made it.
struct ThreadName: Sendable {
  private let number = pthread_self()

  var isCurrent: Bool { pthread_equal(number, pthread_self()) != 0 }
}

/// Something of the loop's that a test lets go of elsewhere, which it must not.
final class Kept: @unchecked Sendable {
  // @unchecked: used by one thread after the other.

  var value: AnyObject?

  init(_ value: AnyObject) { self.value = value }
}
