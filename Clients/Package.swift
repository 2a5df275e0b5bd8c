// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let runtime = Target.Dependency.product(name: "LoopTransactions", package: "LoopTransactions")

/// Libraries that are not installed, separated by spaces. Their clients are left out.
let missing = Context.environment["CLIENTS_WITHOUT", default: ""].split(separator: " ")

let clients: [(program: String, module: String, library: Substring, package: String)] = [
  ("redis-counter", "CHiredis", "hiredis", "libhiredis-dev"),
  ("postgres-notify", "CPQ", "libpq", "libpq-dev"),
  ("curl-many", "CCurl", "libcurl", "libcurl4-openssl-dev"),
  ("bus-names", "CSDBus", "libsystemd", "libsystemd-dev"),
  ("wayland-windows", "CWayland", "wayland-client", "libwayland-dev"),
].filter { !missing.contains($0.library) }

let libraries: [Target] = clients.map { client in
  .systemLibrary(name: client.module, providers: [.apt([client.package])])
}

let programs: [Target] = clients.map { client in
  // redis-counter shares its connection with Examples/presence.
  let library = client.module == "CHiredis" ? "LoopRedis" : client.module
  return .executableTarget(
    name: client.program,
    dependencies: ["ClientHost", .byName(name: library), runtime],
    swiftSettings: strict
  )
}

let redis: [Target] =
  missing.contains("hiredis")
  ? []
  : [.target(name: "LoopRedis", dependencies: ["CHiredis", runtime], swiftSettings: strict)]

let package = Package(
  name: "Clients",
  platforms: [.macOS(.v15)],
  products: redis.map { .library(name: $0.name, targets: [$0.name]) },
  dependencies: [.package(name: "LoopTransactions", path: "..")],
  targets: libraries + redis + programs + [
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
    .testTarget(
      name: "ClientTests",
      dependencies: ["ClientHost", runtime]
        + (redis + programs).map { .byName(name: $0.name) },
      swiftSettings: strict
    ),
  ]
)
