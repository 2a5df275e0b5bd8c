// A target that is the main actor's without saying so to the library: its actions can not
// be performed on any loop's thread.
import LoopTransactions

@MainActor
final class Label {
  // error: call to main actor-isolated instance method 'layOut()'
  static let layout = Selector<Label>("layout") { $0.layOut() }
  func layOut() {}
}
