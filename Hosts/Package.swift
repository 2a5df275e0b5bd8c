// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

func product(_ name: String) -> Target.Dependency {
  .product(name: name, package: "LoopTransactions")
}

let package = Package(
  name: "Hosts",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "LoopTransactions", path: "..")],
  targets: [
    .systemLibrary(
      name: "CGLib",
      path: "Tests/CGLib",
      pkgConfig: "gobject-2.0",
      providers: [.apt(["libglib2.0-dev"]), .brew(["glib"])]
    ),
    // Compares the hosts' own declarations of GLib and SDL with the headers.
    .target(
      name: "CHostHeaders",
      dependencies: ["CGLib"],
      path: "Tests/CHostHeaders",
      cSettings: [
        .headerSearchPath("../../Sources/CGLibHost/include"),
        .headerSearchPath("../../Sources/CSDLHost/include"),
      ]
    ),
    // Every host runs the same cases. Each host needs the main thread, so it is a
    // separate program.
    .target(
      name: "HostCases",
      dependencies: [product("LoopTransactions")],
      path: "Tests/HostCases",
      swiftSettings: strict
    ),
    .target(
      name: "GLibLoop",
      dependencies: ["CGLib", "HostCases", product("LoopTransactions")],
      path: "Tests/GLibLoop",
      swiftSettings: strict
    ),
    .target(name: "CGdk", dependencies: ["CGLib"], path: "Tests/CGdk"),
    .executableTarget(
      name: "glib-host",
      dependencies: [
        "CGLib", "CGdk", "GLibLoop", "HostCases", product("LoopTransactions"),
        product("LoopTransactionsGLib"),
      ],
      path: "Tests/GLibProgram",
      swiftSettings: strict
    ),
    // No pkgConfig: GTK's .pc file contains -pthread, and SwiftPM warns about that flag.
    .systemLibrary(
      name: "CGTK",
      path: "Tests/CGTK",
      providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]
    ),
    .executableTarget(
      name: "gtk-host",
      dependencies: [
        "CGTK", "GLibLoop", "HostCases", product("LoopTransactions"),
        product("LoopTransactionsGLib"),
      ],
      path: "Tests/GTKProgram",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "executor-host",
      dependencies: [
        "GLibLoop", "HostCases", product("LoopTransactions"), product("LoopTransactionsDispatch"),
      ],
      path: "Tests/ExecutorProgram",
      swiftSettings: strict
    ),
    .target(name: "CCloses", path: "Tests/CCloses"),
    .executableTarget(
      name: "sdl-host",
      dependencies: [
        "CCloses", "HostCases", product("LoopTransactions"), product("LoopTransactionsCSDL"),
        product("LoopTransactionsSDL"),
      ],
      path: "Tests/SDLProgram",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "main-queue-host",
      dependencies: ["HostCases", product("LoopTransactionsDispatch")],
      path: "Tests/MainQueueProgram",
      swiftSettings: strict
    ),
    .target(
      name: "MainRunLoop",
      dependencies: ["HostCases"],
      path: "Tests/MainRunLoop",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "dispatch-host",
      dependencies: ["HostCases", "MainRunLoop", product("LoopTransactionsDispatch")],
      path: "Tests/DispatchProgram",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "run-loop-host",
      dependencies: ["HostCases", "MainRunLoop", product("LoopTransactionsFoundation")],
      path: "Tests/RunLoopProgram",
      swiftSettings: strict
    ),
    .testTarget(
      name: "HostTests",
      dependencies: [
        "glib-host", "gtk-host", "executor-host", "sdl-host", "dispatch-host",
        "main-queue-host", "run-loop-host",
      ],
      swiftSettings: strict
    ),
  ]
)
