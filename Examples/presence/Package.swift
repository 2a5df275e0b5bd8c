// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "presence",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "LoopTransactions", path: "../.."),
    .package(name: "Clients", path: "../../Clients"),
  ],
  targets: [
    .executableTarget(
      name: "presence",
      dependencies: [
        .product(name: "LoopRedis", package: "Clients"),
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsIO", package: "LoopTransactions"),
      ],
      swiftSettings: strict
    ),
    .testTarget(name: "presenceTests", dependencies: ["presence"], swiftSettings: strict),
  ]
)
