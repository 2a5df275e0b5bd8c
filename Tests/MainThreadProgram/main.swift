import Dispatch
import LoopTransactions
import TestSupport

// The cases that need the main thread, on which tests do not run. The program's
// argument names the case to run.
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
  "watched": watched,
  "watchedInTurns": watchedInTurns,
  "unserved": unserved,
  "unservedForLong": unservedForLong,
  "unservedWithoutDescriptors": unservedWithoutDescriptors,
  "unservedInTicks": unservedInTicks,
  "unservedInTurns": unservedInTurns,
  "unservedAfterTurns": unservedAfterTurns,
  "servedByHost": servedByHost,
  "servedAfterTurns": servedAfterTurns,
  "servedLater": servedLater,
  "exitInRunMain": exitInRunMain,
  "activities": activities,
  "embeddedActivities": embeddedActivities,
]
Process.endInTime()
guard let name = CommandLine.arguments.dropFirst().first, let body = cases[name] else {
  fatalError("usage: main-thread-program \(cases.keys.sorted())")
}
try body()
