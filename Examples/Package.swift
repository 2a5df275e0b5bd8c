// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "LoopTransactions", path: "..")],
  targets: [
    // Neither this target nor CGTK has `pkgConfig:`. Their .pc files contain
    // -pthread, and SwiftPM warns about that flag on every build.
    .systemLibrary(
      name: "CPixbuf",
      providers: [.apt(["libgdk-pixbuf-2.0-dev"]), .brew(["gdk-pixbuf"])]
    ),
    .executableTarget(
      name: "thumbnails",
      dependencies: [
        "CPixbuf",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .systemLibrary(
      name: "CGTK",
      providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]
    ),
    .executableTarget(
      name: "gtk-notes",
      dependencies: [
        "CGTK",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsGLib", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "gtk-frames",
      dependencies: [
        "CGTK",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsGLib", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "gtk-window",
      dependencies: [
        "CGTK",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsGLib", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "sdl-pong",
      dependencies: [
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsCSDL", package: "LoopTransactions"),
        .product(name: "LoopTransactionsSDL", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .target(name: "RespProtocol", swiftSettings: strict),
    .executableTarget(
      name: "resp-server",
      dependencies: [
        "RespProtocol",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsIO", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "respServerTests",
      dependencies: [
        "RespProtocol",
        "resp-server",
      ],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "chat",
      dependencies: [
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsIO", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "chatTests",
      dependencies: ["chat"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "metrics-server",
      dependencies: [
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsIO", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .testTarget(
      name: "metricsServerTests",
      dependencies: ["metrics-server"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "windowTests",
      dependencies: ["gtk-frames", "gtk-notes", "gtk-window", "sdl-pong"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "thumbnailsTests",
      dependencies: ["CPixbuf", "thumbnails"],
      swiftSettings: strict
    ),
  ]
)

#if os(Linux)
  package.targets += [
    .systemLibrary(name: "CAffinity"),
    .executableTarget(
      name: "planted-holds",
      dependencies: [
        "CAffinity",
        "CGTK",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsCSDL", package: "LoopTransactions"),
        .product(name: "LoopTransactionsGLib", package: "LoopTransactions"),
        .product(name: "LoopTransactionsSDL", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
  ]
#endif
