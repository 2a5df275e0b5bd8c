# shellcheck shell=bash
# Sourced by the scripts that build loopbench watch, in the root of the repository.

# build_waits FOLDER: builds the library that loopbench watch loads into other programs. SwiftPM
# would link the Swift runtime, which those programs and their machines need not have. A program
# that is watched may use the old file, so it is replaced and not written.
build_waits() {
  local library=$1/libloopbench-waits.so source=Sources/CLoopWait/lw_wait.c
  if [ "$library" -nt $source ] && ! grep -q libswiftCore "$library"; then return; fi
  clang -O2 -fPIC -shared -ISources/CLoopWatch/include -Wl,-z,now -o "$library.new" $source
  mv "$library.new" "$library"
}
