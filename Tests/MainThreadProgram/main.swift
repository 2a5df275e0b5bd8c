import Dispatch
import LoopTransactions
import TestSupport

// The cases that need the main thread, which a test does not have. Runs one
// case, given by name.
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
