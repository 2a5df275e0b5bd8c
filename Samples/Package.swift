// swift-tools-version: 6.3
import PackageDescription

// The program NAME is the file NAME.swift. They are not snippets of the root package, because
// SwiftPM links every library of the package into its snippets, and so GLib and SDL too. Named
// here, because SwiftPM does not read the manifest again when only a file is added.
let names = [
  "Activities", "AdoptingALoop", "AsyncBodies", "AsyncMain", "AsyncTransactions", "Bound",
  "BoundMemory", "CancelStaleWork", "Chat", "Clock", "Containers", "Descriptors", "ExecutorHosts",
  "FirstLook", "Flights", "FrameClockSnippet", "FrameCommitCost", "Frames", "GettingStarted",
  "HeavyWork", "HostFunctions", "HostWithPoll", "HotPathCost", "Hybrid", "ImmediateTask",
  "InteractiveInput", "KeptByThreads", "Label", "LateFrame", "LateLoop", "Latencies",
  "LibuvHandles", "LoopCost", "LoopThreads", "MainActorLoop", "MainRunLoop", "MainTimer",
  "MemoryCost", "MemoryPressure", "Metrics", "MetricsAdapters", "ObservedModel", "Operations",
  "Overload",
  "PendingWork", "PinnedActor", "Port", "Posts", "Queue", "ReadingInTasks", "Relay",
  "SchedulerTasks", "Scoreboard",
  "Scroll", "SerialQueues",
  "SignalsAndChildren", "SplitLoop", "SteppedOperations", "SteppedTest", "TickReportCost", "Timers",
  "TraceCost", "Traces", "ValueQueue", "Watchdog", "WorkerFeed", "loopbench-keep",
]
// Linking LoopTransactionsMain replaces the executor of the main actor.
let namesWithMain: Set = ["AsyncMain", "MainTimer"]

let products = [
  "CUV", "LoopTransactions", "LoopTransactionsDispatch", "LoopTransactionsFoundation",
  "LoopTransactionsIO", "LoopTransactionsTesting", "LoopbenchCommands", "LoopbenchKit",
]

// Programs whose cost is counted are built for release, where LoopbenchKit takes minutes.
func products(of name: String) -> [String] {
  if name.hasSuffix("Cost") { return ["CUV", "LoopTransactions"] }
  return namesWithMain.contains(name) ? products + ["LoopTransactionsMain"] : products
}

// These share the target IdleTicks.
let measuring: Set = ["TickReportCost", "TraceCost"]

let package = Package(
  name: "Samples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "LoopTransactions", path: "..")],
  targets: names.map { name in
    .executableTarget(
      name: name,
      dependencies: products(of: name).map { .product(name: $0, package: "LoopTransactions") }
        + (measuring.contains(name) ? ["IdleTicks"] : []),
      path: ".",
      exclude: names.filter { $0 != name }.map { "\($0).swift" } + ["Support"],
      sources: ["\(name).swift"],
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
    )
  } + [
    .target(
      name: "IdleTicks",
      dependencies: products(of: "Cost").map { .product(name: $0, package: "LoopTransactions") },
      path: "Support",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]
    )
  ]
)
