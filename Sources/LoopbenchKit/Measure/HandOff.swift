/// A value that one thread leaves for the thread that joins it.
package final class HandOff<Value>: @unchecked Sendable {
  // @unchecked: written before the thread ends, read after it was joined; the
  // join orders the two.
  package var value: Value?

  package init() {}
}
