# shellcheck shell=bash disable=SC2034,SC2154 # the lists are for the scripts, graph_options is theirs
# Sourced by scripts/docs and scripts/api: symbol graphs of the public API.

# The library modules whose sources are in Sources, each after those it depends on.
readonly root_modules="LoopTransactions LoopTransactionsTesting LoopTransactionsDispatch
  LoopTransactionsFoundation LoopTransactionsIO LoopTransactionsMain LoopTransactionsMainTesting
  LoopbenchKit LoopbenchCommands"
# Those in Hosts and Display.
readonly nested_modules="LoopTransactionsGLib LoopTransactionsNode LoopTransactionsSDL
  AsyncDisplay"

# symbol_graphs FOLDER MODULE…: builds MODULEs and writes their symbol graphs into FOLDER.
# Passes the caller's `graph_options` on to the extraction.
symbol_graphs() {
  local folder=$1 module products target
  shift
  for module in "$@"; do swift build --quiet --target "$module" >&2; done
  products=$(swift build --show-bin-path)
  target=$(swift -print-target-info | sed -n 's/.*"triple" *: *"\([^"]*\)".*/\1/p' | head -n 1)
  for module in "$@"; do
    # shellcheck disable=SC2046 # a word each
    swift-symbolgraph-extract -module-name "$module" -I "$products/Modules" -target "$target" \
      $(clang_modules "$products") -minimum-access-level public -skip-synthesized-members \
      ${graph_options[@]+"${graph_options[@]}"} -output-dir "$folder"
  done
}

# Prints the options by which the importer finds the C modules. SwiftPM generates the maps of
# those it compiles, among its products.
clang_modules() {
  local map
  for map in Sources/CUV/module.modulemap Display/Sources/CDisplay*/module.modulemap \
    "$1"/*.build/module.modulemap; do
    if [ -e "$map" ]; then echo "-Xcc -fmodule-map-file=$map"; fi
  done
}
