// swift-tools-version: 6.3
import PackageDescription

// A package that uses each part of LoopTransactions. The step `url` of scripts/check builds it
// in a copy, with the URL of a clone.

func product(_ name: String) -> Target.Dependency {
  .product(name: name, package: "LoopTransactions")
}

let package = Package(
  name: "Parts",
  platforms: [.macOS(.v15)],
  dependencies: [.package(url: "https://…/LoopTransactions.git", branch: "main")],
  targets: [
    // Modules of the user's own, with the libraries' real headers.
    .systemLibrary(name: "CGLib", pkgConfig: "gobject-2.0"),
    // No pkgConfig, because SwiftPM warns about flags in GTK's .pc file.
    .systemLibrary(name: "CGTK"),
    .systemLibrary(name: "CSDL"),
    .executableTarget(
      name: "glib",
      dependencies: ["CGLib", product("LoopTransactions"), product("LoopTransactionsGLib")]
    ),
    .executableTarget(
      name: "gtk",
      dependencies: ["CGTK", product("LoopTransactions"), product("LoopTransactionsGLib")]
    ),
    .executableTarget(
      name: "sdl",
      dependencies: ["CSDL", product("LoopTransactions"), product("LoopTransactionsSDL")]
    ),
    .executableTarget(
      name: "io",
      dependencies: [product("LoopTransactions"), product("LoopTransactionsIO")]
    ),
    .executableTarget(
      name: "show",
      dependencies: [product("AsyncDisplay"), product("LoopTransactions")]
    ),
    // The hosts and AsyncDisplay beside GTK's headers, which include those of Pango and Cairo.
    .executableTarget(
      name: "gtkshow",
      dependencies: [
        "CGTK", product("AsyncDisplay"), product("LoopTransactions"),
        product("LoopTransactionsGLib"),
      ]
    ),
  ]
)
