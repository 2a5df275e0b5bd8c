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
  name: "Peers",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "loopbench-peers", targets: ["loopbench-peers"])],
  dependencies: [.package(name: "LoopTransactions", path: "..")],
  targets: [
    // The libraries. Boost.Asio and libev have no .pc file, and CPeers loads libev on demand.
    .systemLibrary(name: "CBoost", providers: [.apt(["libboost-dev"])]),
    .systemLibrary(
      name: "CLibevent",
      pkgConfig: "libevent_pthreads",
      providers: [.apt(["libevent-dev"])]
    ),
    .systemLibrary(name: "CLibev", providers: [.apt(["libev-dev"])]),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CTBB", pkgConfig: "tbb", providers: [.apt(["libtbb-dev"])]),
    // No pkgConfig, because SwiftPM warns about flags of the linker in the .pc file of Abseil.
    .systemLibrary(name: "CAbseil", providers: [.apt(["libabsl-dev"])]),
    // The peers in C++, behind tables of C functions.
    .target(
      name: "CPeers",
      dependencies: [
        "CBoost", "CLibevent", "CLibev", "CGLib", "CTBB", "CAbseil", product("CUV"),
      ],
      cxxSettings: [.treatAllWarnings(as: .error)],
      linkerSettings: [
        // For libev, which the peers load. Part of the C library since glibc 2.34.
        .linkedLibrary("dl"),
        .linkedLibrary("absl_hash"),
        .linkedLibrary("absl_city"),
        .linkedLibrary("absl_low_level_hash"),
        .linkedLibrary("absl_raw_hash_set"),
        .linkedLibrary("absl_hashtablez_sampler"),
      ]
    ),
    .target(
      name: "LoopbenchPeers",
      dependencies: ["CPeers", product("LoopTransactions"), product("LoopbenchKit")],
      swiftSettings: strict
    ),
    // `loopbench peers` runs it if it is installed next to loopbench or on PATH.
    .executableTarget(
      name: "loopbench-peers",
      dependencies: ["LoopbenchPeers", product("LoopbenchCommands")],
      swiftSettings: strict
    ),
    .testTarget(
      name: "LoopbenchPeersTests",
      dependencies: [
        "CPeers",
        "LoopbenchPeers",
        // The tests run it next to loopbench-peers, as an installation does.
        product("loopbench"),
        product("LoopbenchKit"),
      ],
      swiftSettings: strict
    ),
  ],
  cxxLanguageStandard: .cxx17
)
