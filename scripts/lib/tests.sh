# shellcheck shell=bash disable=SC2154,SC2034 # root is from common.sh, some variables are for the steps
# Sourced by scripts that run tests: the steps of scripts/check, and scripts/test.
readonly logs=.build/check test_seconds=900
readonly display_libraries="cairo pangocairo libjpeg libpng gdk-pixbuf-2.0 sdl2"
# ThreadSanitizer delays the exit of each process by a second, and the tests start many.
readonly no_pause=atexit_sleep_ms=20

# run_tests [OPTION…]: builds and runs tests. A lost wake-up shows as a hang, so a
# time limit ends the run. SIGINT also ends the test process, which SIGTERM does
# not; line buffering keeps its output.
run_tests() {
  local limit='' watcher='' status=0
  # Builds without the limit: the time of a build depends on the machine.
  swift test list --disable-xctest "$@" >"$logs/tests" || { cat "$logs/tests"; return 1; }
  if has timeout && has stdbuf; then
    limit="timeout -s INT -k 10 $test_seconds stdbuf -oL"
    watch_for_hang &
    watcher=$!
  fi
  $limit swift test --skip-build --disable-xctest "$@" || status=$?
  [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
  [ $status -ne 124 ] || echo "error: the tests did not end within $test_seconds s"
  return $status
}

# Prints all stacks just before the limit. Killing it also kills its sleep.
watch_for_hang() {
  trap 'kill $!' TERM
  sleep $((test_seconds - 15)) &
  wait $! && stacks
}

# Prints the stacks of this checkout's test processes.
stacks() {
  local process
  for process in $(pgrep -f "^$root/.*PackageTests.xctest" || true); do
    if has gdb; then
      gdb -p "$process" -batch -ex 'thread apply all backtrace 25' 2>/dev/null | cut -c 1-160
    else
      echo "note: gdb is not installed, so the stacks of process $process are not shown"
    fi
  done
}

# nested_package FOLDER [OPTION…]: builds the package in FOLDER, fails on a
# warning, and runs its tests.
nested_package() {
  local folder=$1 began=$SECONDS name log scratch
  shift
  name=${folder,,}
  log=$logs/${name//\//-}.build
  scratch=$root/.build/${name//\//-}
  # From scratch: an up-to-date module does not repeat its warnings.
  rm -rf "$scratch"
  swift build --build-tests --package-path "$folder" --scratch-path "$scratch" "$@" 2>&1 | tee "$log"
  no_warnings "$log"
  echo "note: built in $((SECONDS - began)) s"
  run_tests --package-path "$folder" --scratch-path "$scratch" "$@"
}

# no_warnings LOG [PATTERN]: fails on a warning in a log, unless it matches PATTERN.
no_warnings() {
  if grep -i 'warning:' "$1" | grep -v -- "${2-^$}"; then return 1; fi
}

# require_libraries NAME LIBRARY…: succeeds if pkg-config finds the libraries.
# Otherwise prints that NAME was skipped.
require_libraries() {
  local what=$1 library
  shift
  for library in "$@"; do
    pkg-config --exists "$library" && continue
    echo "note: $library is not installed, so $what was skipped"
    return 1
  done
}

# require_tools NAME TOOL…: the same for commands.
require_tools() {
  local what=$1 tool
  shift
  for tool in "$@"; do
    has "$tool" && continue
    echo "note: $tool is not installed, so $what was skipped"
    return 1
  done
}

# MARK: Logs

# The errors and failed tests in a log, and its end. Argument: the log.
show_failures() {
  if [ "$(wc -l <"$1")" -gt 60 ]; then
    failures_in "$1"
    echo "… the end of $1:"
  fi
  tail -n 60 "$1"
}

# The errors and failed tests in a log, and the tests that it does not end.
failures_in() {
  # Not head: it ends the writer by SIGPIPE, and then the script that sourced this.
  # An issue outside of a test is printed once for each running test.
  grep -nE 'error:|warning:|WARNING:|ERROR:|✘|SUMMARY:' "$1" \
    | awk '{ text = $0; sub(/^[0-9]+:/, "", text) } !seen[text]++ && ++count <= 40' || true
  unfinished_tests "$1" | sed -n 1,20p
}

# The tests that started and did not end.
unfinished_tests() {
  awk '
    !/^.+ Test "/ { next }
    { name = $0; sub(/^[^"]*"/, "", name); sub(/"[^"]*$/, "", name) }
    / started\.$/ { open[name] = 1 }
    / (passed|failed) after [0-9.]+ seconds/ { delete open[name] }
    END { for (name in open) print "started and did not end: " name }' "$1" | LC_ALL=C sort
}
