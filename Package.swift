// swift-tools-version: 6.3
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
    .library(name: "LoopTransactionsIO", targets: ["LoopTransactionsIO"]),
    .library(name: "LoopTransactionsMain", targets: ["LoopTransactionsMain"]),
    .library(name: "LoopTransactionsMainTesting", targets: ["LoopTransactionsMainTesting"]),
    .library(name: "LoopTransactionsGLib", targets: ["LoopTransactionsGLib"]),
    .library(name: "LoopTransactionsSDL", targets: ["LoopTransactionsSDL"]),
    .library(name: "LoopTransactionsNode", targets: ["LoopTransactionsNode"]),
    // SDL itself, for programs that do not have their own module for SDL.
    .library(name: "LoopTransactionsCSDL", targets: ["LoopTransactionsCSDL"]),
    .library(name: "AsyncDisplay", targets: ["AsyncDisplay"]),
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
    // Hosts for Dispatch and Foundation, in modules of their own because the core imports neither.
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
    // Connections and listeners, on libuv's streams.
    .target(
      name: "LoopTransactionsIO",
      dependencies: ["CUV", "LoopTransactions"],
      swiftSettings: strict
    ),
    // A separate product, because linking it replaces the main actor's executor in the whole
    // process.
    .target(
      name: "LoopTransactionsMain",
      dependencies: ["LoopTransactions"],
      swiftSettings: strict
    ),
    // Apart from LoopTransactionsTesting, which programs link: this one imports Swift Testing.
    .target(
      name: "LoopTransactionsMainTesting",
      dependencies: ["LoopTransactions", "LoopTransactionsMain"],
      swiftSettings: strict
    ),
    // Hosts and AsyncDisplay compile without the headers of their libraries, and only programs
    // that use them link those libraries. A pkgConfig would make SwiftPM warn in every package
    // that depends on this one. The programs and tests are in packages of their own. See
    // docs/decisions/0013-one-package-with-every-product.md.
    .target(
      name: "CGLibHost",
      path: "Hosts/Sources/CGLibHost",
      linkerSettings: [.linkedLibrary("glib-2.0"), .linkedLibrary("gobject-2.0")]
    ),
    .target(
      name: "LoopTransactionsGLib",
      dependencies: ["CGLibHost", "LoopTransactions"],
      path: "Hosts/Sources/LoopTransactionsGLib",
      packageAccess: false,
      swiftSettings: strict
    ),
    .target(
      name: "CSDLHost",
      path: "Hosts/Sources/CSDLHost",
      linkerSettings: [.linkedLibrary("SDL2")]
    ),
    .target(
      name: "LoopTransactionsSDL",
      dependencies: ["CSDLHost", "LoopTransactions"],
      path: "Hosts/Sources/LoopTransactionsSDL",
      packageAccess: false,
      swiftSettings: strict
    ),
    // Links nothing: Node's executable has the functions of Node-API.
    .target(name: "CNodeHost", path: "Hosts/Sources/CNodeHost"),
    .target(
      name: "LoopTransactionsNode",
      dependencies: ["CNodeHost", "LoopTransactions"],
      path: "Hosts/Sources/LoopTransactionsNode",
      packageAccess: false,
      swiftSettings: strict
    ),
    .systemLibrary(name: "LoopTransactionsCSDL", path: "Hosts/Sources/LoopTransactionsCSDL"),
    .systemLibrary(name: "CDisplayCairo", path: "Display/Sources/CDisplayCairo"),
    .systemLibrary(name: "CDisplayPango", path: "Display/Sources/CDisplayPango"),
    .target(
      name: "CDisplayPictures",
      path: "Display/Sources/CDisplayPictures",
      linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png")]
    ),
    .target(
      name: "AsyncDisplay",
      dependencies: ["CDisplayCairo", "CDisplayPango", "CDisplayPictures", "LoopTransactions"],
      path: "Display/Sources/AsyncDisplay",
      packageAccess: false,
      swiftSettings: strict
    ),
    .target(name: "CLoopbench", dependencies: ["CUV"]),
    .target(
      name: "LoopbenchKit",
      dependencies: [
        "LoopTransactions", "LoopTransactionsIO", "LoopTransactionsTesting", "CLoopbench",
      ],
      resources: [
        .embedInCode("Report/loopbench-1.schema.json"), .embedInCode("Timeline/timeline.css"),
        .embedInCode("Timeline/timeline.js"), .embedInCode("Timeline/timeline-paint.js"),
      ],
      swiftSettings: strict
    ),
    // Loaded by loopbench on demand, because Foundation would slow down every start.
    .target(
      name: "LoopbenchFoundation",
      dependencies: ["CLoopbench"],
      swiftSettings: strict
    ),
    // The command line, for programs with their own scenarios and peers.
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
    // Used by Tests/Oracles: makes reports and plots of files and of plain values.
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
    // Programs that need their own main, because tests run inside an async main.
    .executableTarget(
      name: "main-thread-program",
      dependencies: ["CUV", "LoopTransactions", "TestSupport"],
      path: "Tests/MainThreadProgram",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "async-main-program",
      dependencies: ["LoopTransactions"],
      path: "Tests/AsyncMainProgram",
      swiftSettings: strict
    ),
    // No test target depends on these two: it would link LoopTransactionsMain too.
    .executableTarget(
      name: "loop-main-program",
      dependencies: ["LoopTransactions", "LoopTransactionsMain", "TestSupport"],
      path: "Tests/LoopMainProgram",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "loop-main-sync-program",
      dependencies: ["LoopTransactions", "LoopTransactionsMain"],
      path: "Tests/LoopMainSyncProgram",
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
    .testTarget(name: "LoopTransactionsMainTests", swiftSettings: strict),
    .testTarget(
      name: "LoopTransactionsIOTests",
      dependencies: [
        "LoopTransactions", "LoopTransactionsIO", "LoopTransactionsTesting", "TestSupport",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "LoopTransactionsStressTests",
      dependencies: [
        "LoopTransactions", "LoopTransactionsIO", "LoopTransactionsTesting", "TestSupport",
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "LoopTransactionsTestingTests",
      dependencies: ["LoopTransactions", "LoopTransactionsTesting", "TestSupport"],
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

// `loopbench watch`, which reads /proc.
#if os(Linux)
  package.products += [
    .executable(name: "loopbench-watch", targets: ["loopbench-watch"]),
    .library(name: "loopbench-waits", type: .dynamic, targets: ["CLoopWait"]),
  ]
  // The first screen of loopbench lists the programs that wait in a loop.
  package.targets.first { $0.name == "loopbench" }?.dependencies.append("LoopWatch")
  package.targets += [
    // A watched program preloads this library. It wraps the C library's waits, so no
    // other target may link it.
    .target(name: "CLoopWait", cSettings: [.headerSearchPath("../CLoopWatch/include")]),
    .target(name: "CLoopWatch"),
    .target(
      name: "LoopWatch",
      dependencies: ["CLoopWatch", "LoopTransactions", "LoopbenchKit"],
      resources: [
        .embedInCode("Report/loopbench-watch-1.schema.json"),
        .embedInCode("Report/watch-page.css"), .embedInCode("Report/watch-page.js"),
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "loopbench-watch",
      dependencies: ["LoopWatch"],
      swiftSettings: strict
    ),
    // Processes that the tests capture or watch. No test target depends on it, because it
    // replaces functions of the C library.
    .executableTarget(name: "watch-cases", dependencies: ["CLoopWatch"], path: "Tests/WatchCases"),
    // Holds a loop of LoopTransactions, for the tests and for Tests/WatchSubjects.
    .executableTarget(
      name: "work-plants",
      dependencies: ["LoopTransactions"],
      path: "Tests/WatchSubjects/work",
      swiftSettings: strict
    ),
    .testTarget(
      name: "LoopWatchTests",
      dependencies: ["LoopWatch", "LoopbenchKit", "LoopTransactionsTesting", "TestSupport"],
      swiftSettings: strict
    ),
  ]
#endif
