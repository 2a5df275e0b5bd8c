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
  name: "Display",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "cardfeed", targets: ["cardfeed"]),
    .executable(name: "loopbench-frames", targets: ["loopbench-frames"]),
  ],
  dependencies: [.package(name: "LoopTransactions", path: "..")],
  targets: [
    // For the feed, which encodes its pictures, and for the tests. No pkgConfig, because SwiftPM
    // warns about flags in the .pc file of gdk-pixbuf.
    .systemLibrary(
      name: "CPixbuf",
      providers: [.apt(["libgdk-pixbuf-2.0-dev"]), .brew(["gdk-pixbuf"])]
    ),
    .systemLibrary(name: "CThread"),
    .systemLibrary(
      name: "CSDL",
      providers: [.apt(["libsdl2-dev"]), .brew(["sdl2"])]
    ),
    // The tutorial's card feed. Not a product. Used by cardfeed, loopbench-frames and the
    // tests.
    .target(
      name: "CardFeed",
      dependencies: [
        "CPixbuf",
        "CThread",
        product("AsyncDisplay"),
        product("LoopTransactions"),
        product("LoopTransactionsTesting"),
      ],
      swiftSettings: strict
    ),
    // The feed in a window of SDL 2. A target of its own, so that tests can drive it.
    .target(
      name: "FeedWindow",
      dependencies: [
        "CSDL",
        "CardFeed",
        product("AsyncDisplay"),
        product("LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "cardfeed",
      dependencies: [
        "CardFeed",
        "FeedWindow",
        product("AsyncDisplay"),
        product("LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FrameBench",
      dependencies: [
        "CardFeed",
        product("AsyncDisplay"),
        product("LoopTransactions"),
        product("LoopbenchKit"),
      ],
      swiftSettings: strict
    ),
    // `loopbench frames` runs it if it is installed next to loopbench or on PATH.
    .executableTarget(
      name: "loopbench-frames",
      dependencies: [
        "FrameBench",
        product("LoopbenchCommands"),
        product("LoopbenchKit"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "AsyncDisplayTests",
      dependencies: [
        "CPixbuf",
        product("AsyncDisplay"),
        product("LoopTransactions"),
        product("LoopTransactionsTesting"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "CardFeedTests",
      dependencies: [
        "CPixbuf",
        "CSDL",
        "CardFeed",
        "FeedWindow",
        product("AsyncDisplay"),
        product("LoopTransactions"),
        product("LoopTransactionsTesting"),
      ],
      exclude: ["Golden"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "FrameBenchTests",
      dependencies: [
        "CardFeed",
        "FrameBench",
        // The tests run it next to loopbench-frames, as an installation does.
        product("loopbench"),
        product("LoopbenchKit"),
      ],
      swiftSettings: strict
    ),
  ]
)
