# shellcheck shell=bash
# Sourced by the scripts that build loopbench, in the root of the repository.

# build_waits FOLDER: builds the library that loopbench watch loads into other programs. SwiftPM
# would link the Swift runtime, which those programs and their machines need not have. A program
# that is watched may use the old file, so it is replaced and not written.
build_waits() {
  local library=$1/libloopbench-waits.so source=Sources/CLoopWait/lw_wait.c
  if [ "$library" -nt $source ] && ! grep -q libswiftCore "$library"; then return; fi
  clang -O2 -fPIC -shared -ISources/CLoopWatch/include -Wl,-z,now -o "$library.new" $source
  mv "$library.new" "$library"
}

# Prints the version that loopbench states, which is the version of the package.
source_version() {
  local found
  found=$(git grep -hoE 'version( =|:) *"[0-9]+\.[0-9]+\.[0-9]+"' -- Sources/LoopbenchKit Sources/LoopbenchCommands |
    grep -oE '[0-9.]+' | sort -u)
  [ "$(wc -w <<<"$found")" -eq 1 ] || die "Sources/Loopbench… state $(wc -w <<<"$found") versions, not one: ${found//$'\n'/, }"
  echo "$found"
}
