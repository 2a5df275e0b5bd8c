/// A target of transactions that is isolated to the main actor.
///
/// Conforming isolates a class to the main actor. Declare its selectors in the
/// same way as for any other class. Their actions run on the main actor, and a
/// commit from code outside the main actor does not compile. The loop must be
/// the main thread's, as created by `EventLoop.runMain(_:)`. Another loop traps
/// when it performs the transaction.
///
/// ```swift
/// final class Label: MainActorTarget {
///   static let layout = Selector<Label>("layout") { $0.layOut() }
///   func layOut() {}
/// }
/// ```
@MainActor
public protocol MainActorTarget: AnyObject, Sendable {}
