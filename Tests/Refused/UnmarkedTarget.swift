// Uses a main-actor class as a target without conforming to MainActorTarget.
// Its actions cannot be performed on any loop's thread.
import LoopTransactions

@MainActor
final class Label {
  // error: call to main actor-isolated instance method 'layOut()'
  static let layout = Selector<Label>("layout") { $0.layOut() }
  func layOut() {}
}
