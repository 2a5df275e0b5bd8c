// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let runtime = Target.Dependency.product(name: "LoopTransactions", package: "LoopTransactions")

let package = Package(
  name: "Clients",
  platforms: [.macOS(.v15)],
  products: [.library(name: "LoopRedis", targets: ["LoopRedis"])],
  dependencies: [.package(name: "LoopTransactions", path: "..")],
  targets: [
    // No pkgConfig: GTK's .pc file contains -pthread, and SwiftPM warns about that flag.
    .systemLibrary(name: "CGTK", providers: [.apt(["libgtk-4-dev"])]),
    .target(
      name: "ClientHost",
      dependencies: [
        "CGTK", runtime,
        .product(name: "LoopTransactionsGLib", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .systemLibrary(name: "CHiredis", providers: [.apt(["libhiredis-dev"])]),
    .target(name: "LoopRedis", dependencies: ["CHiredis", runtime], swiftSettings: strict),
    .executableTarget(
      name: "redis-counter",
      dependencies: ["ClientHost", "LoopRedis", runtime],
      swiftSettings: strict
    ),
    .systemLibrary(name: "CPQ", providers: [.apt(["libpq-dev"])]),
    .executableTarget(
      name: "postgres-notify",
      dependencies: ["CPQ", "ClientHost", runtime],
      swiftSettings: strict
    ),
    .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .executableTarget(
      name: "curl-many",
      dependencies: ["CCurl", "ClientHost", runtime],
      swiftSettings: strict
    ),
    .systemLibrary(name: "CSDBus", providers: [.apt(["libsystemd-dev"])]),
    .executableTarget(
      name: "bus-names",
      dependencies: ["CSDBus", "ClientHost", runtime],
      swiftSettings: strict
    ),
    .systemLibrary(name: "CWayland", providers: [.apt(["libwayland-dev"])]),
    .executableTarget(
      name: "wayland-windows",
      dependencies: ["CWayland", "ClientHost", runtime],
      swiftSettings: strict
    ),
    .testTarget(
      name: "ClientTests",
      dependencies: [
        "redis-counter", "postgres-notify", "curl-many", "bus-names", "wayland-windows",
        "ClientHost", "LoopRedis", runtime,
      ],
      swiftSettings: strict
    ),
  ]
)
