// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "LoopTransactions",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "LoopTransactions", targets: ["LoopTransactions"]),
    .library(name: "LoopTransactionsTesting", targets: ["LoopTransactionsTesting"]),
    .library(name: "LoopTransactionsDispatch", targets: ["LoopTransactionsDispatch"]),
    .library(name: "LoopTransactionsFoundation", targets: ["LoopTransactionsFoundation"]),
    .library(name: "CUV", targets: ["CUV"]),
    .library(name: "LoopbenchKit", targets: ["LoopbenchKit"]),
    .library(name: "LoopbenchCommands", targets: ["LoopbenchCommands"]),
    .library(name: "loopbench-foundation", type: .dynamic, targets: ["LoopbenchFoundation"]),
    .executable(name: "loopbench", targets: ["loopbench"]),
  ],
  targets: [
    .systemLibrary(
      name: "CUV",
      pkgConfig: "libuv",
      providers: [.apt(["libuv1-dev"]), .brew(["libuv"])]
    ),
    .target(name: "LoopTransactions", dependencies: ["CUV"], swiftSettings: strict),
    .target(
      name: "LoopTransactionsTesting",
      dependencies: ["LoopTransactions"],
      swiftSettings: strict
    ),
    // A loop in the main thread's other loops. Apart: the library itself imports neither.
    .target(
      name: "LoopTransactionsDispatch",
      dependencies: ["LoopTransactions"],
      swiftSettings: strict
    ),
    .target(
      name: "LoopTransactionsFoundation",
      dependencies: ["LoopTransactions", "LoopTransactionsDispatch"],
      swiftSettings: strict
    ),
    .target(name: "CLoopbench", dependencies: ["CUV"]),
    .target(
      name: "LoopbenchKit",
      dependencies: ["LoopTransactions", "LoopTransactionsTesting", "CLoopbench"],
      resources: [.embedInCode("Report/loopbench-1.schema.json")],
      swiftSettings: strict
    ),
    // Loaded by loopbench when asked for: Foundation would cost every start.
    .target(
      name: "LoopbenchFoundation",
      dependencies: ["CLoopbench"],
      swiftSettings: strict
    ),
    // The command line, for a program that brings its own scenarios and peers.
    .target(
      name: "LoopbenchCommands",
      dependencies: ["LoopbenchKit"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "loopbench",
      dependencies: ["LoopbenchCommands"],
      swiftSettings: strict
    ),
    // What scripts/oracles asks: reports and plots of files and of bare values.
    .executableTarget(
      name: "loopbench-oracle",
      dependencies: ["LoopbenchKit"],
      path: "Tests/LoopbenchOracle",
      swiftSettings: strict
    ),
    .target(name: "CTestSupport", dependencies: ["CUV"], path: "Tests/CTestSupport"),
    .target(
      name: "TestSupport",
      dependencies: ["CTestSupport", "LoopTransactions", "LoopTransactionsTesting"],
      path: "Tests/TestSupport",
      swiftSettings: strict
    ),
    .target(
      name: "LoopbenchTestSupport",
      dependencies: ["LoopbenchKit", "LoopTransactionsTesting"],
      path: "Tests/LoopbenchTestSupport",
      swiftSettings: strict
    ),
    // Programs that need a main of their own: tests run in an asynchronous one.
    .executableTarget(
      name: "main-thread-program",
      dependencies: ["LoopTransactions", "TestSupport"],
      path: "Tests/MainThreadProgram",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "async-main-program",
      dependencies: ["LoopTransactions"],
      path: "Tests/AsyncMainProgram",
      swiftSettings: strict
    ),
    .testTarget(
      name: "LoopTransactionsTests",
      dependencies: [
        "CUV", "LoopTransactions", "LoopTransactionsDispatch", "LoopTransactionsFoundation",
        "LoopTransactionsTesting", "TestSupport", "main-thread-program", "async-main-program",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "LoopTransactionsStressTests",
      dependencies: ["LoopTransactions", "LoopTransactionsTesting", "TestSupport"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "LoopTransactionsTestingTests",
      dependencies: ["LoopTransactions", "LoopTransactionsTesting"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "LoopbenchKitTests",
      dependencies: [
        "LoopbenchKit", "LoopTransactionsTesting", "CLoopbench", "LoopbenchTestSupport",
        "TestSupport",
      ],
      exclude: ["Golden"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "loopbenchTests",
      dependencies: [
        "LoopbenchCommands", "LoopbenchKit", "LoopTransactionsTesting", "LoopbenchTestSupport",
        "TestSupport",
      ],
      exclude: ["Golden"],
      swiftSettings: strict
    ),
  ]
)
