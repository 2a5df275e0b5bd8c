# shellcheck shell=bash
# Sourced by scripts that show why a long log ended with a failure.

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
