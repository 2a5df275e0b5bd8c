import Dispatch
import LoopTransactions
import TestSupport

// What a test can not do itself, for want of the main thread: one case a run, by name.
let cases: [String: @MainActor () throws -> Void] = [
  "hops": hops,
  "dispatch": dispatch,
  "before": queuedBefore,
  "fair": fair,
  "idle": idle,
  "dumped": dumped,
  "refused": refused,
  "nested": nested,
  "targets": targets,
  "otherLoop": otherLoop,
  "closed": closedBridge,
  "closedByBlock": closedByBlock,
  "adopted": adopted,
  "throws": throwing,
  "embedded": embedded,
  "activities": activities,
  "embeddedActivities": embeddedActivities,
]
Process.endInTime()
guard let name = CommandLine.arguments.dropFirst().first, let body = cases[name] else {
  fatalError("usage: main-thread-program \(cases.keys.sorted())")
}
try body()
