import LoopTransactions
import TestSupport
import Testing

/// A type of another module with the library's name, such as
/// `NIOCore.EventLoop`.
private protocol EventLoop {}

// This test has its own file, because the protocol hides the library's
// `EventLoop` in the whole file.
@Suite("EventLoop with another type of the same name")
struct QualifiedNameTests {
  @Test("the module's name distinguishes the library's loop from another module's")
  func qualified() throws {
    try withLoop { loop in
      let same: LoopTransactions.EventLoop = loop
      #expect(!(same is any EventLoop))
      #expect(LoopTransactions.EventLoop.current === loop)
    }
  }
}
