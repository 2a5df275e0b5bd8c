// swift-tools-version: 6.3
import Foundation
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .treatAllWarnings(as: .error),
]

/// The folders of a library's headers. Not `pkgConfig:`, because SwiftPM warns about the
/// other flags in GTK's .pc files, on every build.
func includeFlags(_ library: String) -> [String] {
  let (process, output) = (Process(), Pipe())
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["pkg-config", "--cflags-only-I", library]
  process.standardOutput = output
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return [] }
  let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  return text.split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] }
}

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
    .target(
      name: "NotesModel",
      dependencies: [.product(name: "LoopTransactions", package: "LoopTransactions")],
      swiftSettings: strict
    ),
    .systemLibrary(
      name: "CGTKHeaders",
      providers: [.apt(["libgtk-4-dev"]), .brew(["gtk4"])]
    ),
    .executableTarget(
      name: "gtk-notes",
      dependencies: [
        "CGTKHeaders",
        "NotesModel",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsGLib", package: "LoopTransactions"),
      ],
      swiftSettings: strict + [.unsafeFlags(includeFlags("gtk4"))]
    ),
    .testTarget(
      name: "notesTests",
      dependencies: [
        "NotesModel",
        "gtk-notes",
        .product(name: "LoopTransactions", package: "LoopTransactions"),
        .product(name: "LoopTransactionsTesting", package: "LoopTransactions"),
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
      dependencies: ["gtk-frames", "gtk-window", "sdl-pong"],
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
    // In C on libuv: loopbench watch needs nothing of this library in a program.
    .executableTarget(
      name: "planted-holds",
      dependencies: [.product(name: "CUV", package: "LoopTransactions")]
    ),
    .testTarget(
      name: "plantedHoldsTests",
      dependencies: ["planted-holds"],
      swiftSettings: strict
    ),
    .executableTarget(
      name: "watchdog-holds",
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
