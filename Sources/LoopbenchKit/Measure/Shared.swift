/// Carries a C pointer to another thread.
package struct Shared<Value>: @unchecked Sendable {
  // @unchecked: the C header of each function says which threads may call it;
  // whoever wraps a pointer vouches for the calls made through it.
  package let value: Value

  package init(_ value: Value) {
    self.value = value
  }
}
