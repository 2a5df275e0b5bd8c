# shellcheck shell=bash disable=SC2034 # root_modules is for the scripts
# Sourced by scripts/docs and scripts/api: symbol graphs of the public API.

# The library modules of the root package, each after those it depends on.
readonly root_modules="LoopTransactions LoopTransactionsTesting LoopTransactionsDispatch
  LoopTransactionsFoundation LoopTransactionsIO LoopTransactionsMain LoopTransactionsMainTesting
  LoopbenchKit LoopbenchCommands"

# symbol_graphs FOLDER PACKAGE MODULE…: builds MODULEs of the package in PACKAGE
# and writes their symbol graphs into FOLDER.
symbol_graphs() {
  local folder=$1 package=$2 module scratch products target
  shift 2
  scratch=.build
  [ "$package" = . ] || scratch=.build/api-${package,,}
  for module in "$@"; do
    swift build --quiet --package-path "$package" --scratch-path "$scratch" --target "$module" >&2
  done
  products=$(swift build --package-path "$package" --scratch-path "$scratch" --show-bin-path)
  target=$(swift -print-target-info | sed -n 's/.*"triple" *: *"\([^"]*\)".*/\1/p' | head -n 1)
  for module in "$@"; do
    # shellcheck disable=SC2046 # a word each
    swift-symbolgraph-extract -module-name "$module" -I "$products/Modules" -target "$target" \
      $(clang_modules "$package" "$products") -minimum-access-level public -skip-synthesized-members \
      -output-dir "$folder"
  done
}

# Prints the options by which the importer finds the C modules of a package. SwiftPM
# generates the maps of those it compiles, among its products.
clang_modules() {
  local map
  for map in Sources/CUV/module.modulemap "$1"/Sources/C*/module.modulemap "$2"/*.build/module.modulemap; do
    if [ -e "$map" ]; then echo "-Xcc -fmodule-map-file=$map"; fi
  done
}
