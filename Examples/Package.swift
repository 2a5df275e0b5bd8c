// swift-tools-version: 6.2
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
    // No pkgConfig: gdk-pixbuf's file says -pthread, and SwiftPM warns of that.
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
    .testTarget(
      name: "thumbnailsTests",
      dependencies: ["CPixbuf", "thumbnails"],
      swiftSettings: strict
    ),
  ]
)
