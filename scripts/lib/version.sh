# shellcheck shell=bash
# Sourced by scripts/release and scripts/package.

# Prints the version that loopbench states, which is the version of the package.
source_version() {
  local found
  found=$(git grep -hoE 'version( =|:) *"[0-9]+\.[0-9]+\.[0-9]+"' -- Sources/LoopbenchKit Sources/LoopbenchCommands |
    grep -oE '[0-9.]+' | sort -u)
  [ "$(wc -w <<<"$found")" -eq 1 ] || die "Sources/Loopbench… state $(wc -w <<<"$found") versions, not one: ${found//$'\n'/, }"
  echo "$found"
}
