/// A target of transactions that is isolated to the main actor.
///
/// A class that conforms is `@MainActor` by that. Its selectors are written like any
/// others; their actions are main actor's, and so is who commits them: from anywhere
/// else it does not compile. The loop has to be the main thread's, as
/// `EventLoop.runMain` makes it; another traps when it performs one.
///
/// ```swift
/// final class Label: MainActorTarget {
///   static let layout = Selector<Label>("layout") { $0.layOut() }
///   func layOut() {}
/// }
/// ```
@MainActor
public protocol MainActorTarget: AnyObject, Sendable {}
