import LoopTransactions
import TestSupport
import Testing

/// Another module's, as `NIOCore` has one.
private protocol EventLoop {}

// A file of its own: the protocol hides the library's name in all of it.
@Suite("EventLoop beside another of the name")
struct QualifiedNameTests {
  @Test("the module's name tells the library's loop from another module's")
  func qualified() throws {
    try withLoop { loop in
      let same: LoopTransactions.EventLoop = loop
      #expect(!(same is any EventLoop))
      #expect(LoopTransactions.EventLoop.current === loop)
    }
  }
}
