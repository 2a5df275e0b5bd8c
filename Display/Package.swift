// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "Display",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "AsyncDisplay", targets: ["AsyncDisplay"]),
    .executable(name: "cardfeed", targets: ["cardfeed"]),
    .executable(name: "loopbench-frames", targets: ["loopbench-frames"]),
  ],
  dependencies: [.package(name: "LoopTransactions", path: "..")],
  targets: [
    // No pkgConfig, because SwiftPM warns about flags in the .pc files of Pango and gdk-pixbuf.
    .systemLibrary(
      name: "CCairo",
      providers: [.apt(["libcairo2-dev"]), .brew(["cairo"])]
    ),
    .systemLibrary(
      name: "CPango",
      providers: [.apt(["libpango1.0-dev"]), .brew(["pango"])]
    ),
    .systemLibrary(
      name: "CLibJPEG",
      pkgConfig: "libjpeg",
      providers: [.apt(["libjpeg-dev"]), .brew(["jpeg-turbo"])]
    ),
    .systemLibrary(
      name: "CLibPNG",
      pkgConfig: "libpng",
      providers: [.apt(["libpng-dev"]), .brew(["libpng"])]
    ),
    .target(name: "CPictures", dependencies: ["CLibJPEG", "CLibPNG"]),
    // For the feed, which encodes its pictures, and for the tests.
    .systemLibrary(
      name: "CPixbuf",
      providers: [.apt(["libgdk-pixbuf-2.0-dev"]), .brew(["gdk-pixbuf"])]
    ),
    .systemLibrary(name: "CThread"),
    .systemLibrary(
      name: "CSDL",
      providers: [.apt(["libsdl2-dev"]), .brew(["sdl2"])]
    ),
    .target(
      name: "AsyncDisplay",
      dependencies: [
        "CCairo",
        "CPango",
        "CPictures",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    // The tutorial's card feed. Not a product. Used by cardfeed, loopbench-frames and the
    // tests.
    .target(
      name: "CardFeed",
      dependencies: [
        "AsyncDisplay",
        "CPixbuf",
        "CThread",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsTesting", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    // Shows the feed in a window.
    .executableTarget(
      name: "cardfeed",
      dependencies: [
        "AsyncDisplay",
        "CSDL",
        "CardFeed",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .target(
      name: "FrameBench",
      dependencies: [
        "AsyncDisplay",
        "CardFeed",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopbenchKit", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    // `loopbench frames` runs it if it is installed next to loopbench or on PATH.
    .executableTarget(
      name: "loopbench-frames",
      dependencies: [
        "FrameBench",
        .product(name: "LoopbenchCommands", package: "LoopTransactions"),
        .product(name: "LoopbenchKit", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "AsyncDisplayTests",
      dependencies: [
        "AsyncDisplay",
        "CPixbuf",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsTesting", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "CardFeedTests",
      dependencies: [
        "AsyncDisplay",
        "CPixbuf",
        "CardFeed",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
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
        .product(name: "loopbench", package: "LoopTransactions"),
        .product(name: "LoopbenchKit", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
  ]
)
