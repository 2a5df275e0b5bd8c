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

// Build this package with `--pkg-config-path Hosts/NodeAddon/no-libuv`: an addon is linked
// without libuv, because Node's executable has its own.
let package = Package(
  name: "NodeAddon",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "request-stats", type: .dynamic, targets: ["RequestStats"]),
    .library(name: "test-addon", type: .dynamic, targets: ["TestAddon"]),
    .library(name: "linked-addon", type: .dynamic, targets: ["LinkedAddon"]),
  ],
  dependencies: [.package(name: "LoopTransactions", path: "../..")],
  targets: [
    .target(
      name: "RequestStats",
      dependencies: [product("LoopTransactions"), product("LoopTransactionsNode")],
      swiftSettings: strict
    ),
    .target(
      name: "TestAddon",
      dependencies: [
        product("CUV"), product("LoopTransactions"), product("LoopTransactionsIO"),
        product("LoopTransactionsNode"),
      ],
      path: "Tests/TestAddon",
      swiftSettings: strict
    ),
    .target(
      name: "LinkedAddon",
      dependencies: [product("LoopTransactions"), product("LoopTransactionsNode")],
      path: "Tests/LinkedAddon",
      swiftSettings: strict
    ),
  ]
)
