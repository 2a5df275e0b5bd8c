#!/usr/bin/env bash
# usage: bash scripts/lib/steps.sh STEP [ARGUMENT…]
#
# Runs a step of scripts/check without a log. A step is a function step_NAME below 'MARK: Quick'
# or 'MARK: Slow', and runs in the order of this file. The comment above it is its description,
# and then a hint for a failure.
source "$(dirname "$0")/common.sh"
source scripts/lib/tests.sh
mkdir -p "$logs"

# MARK: Quick

# Runs swift format in strict mode.
# hint: run 'swift format -i' on the files above
step_format() { swift_files | xargs swift format lint --strict --parallel; }

# Searches for breaches of the house rules.
# hint: each error above names the rule
step_lint() { scripts/lint; }

# Checks every interleaving of the inbox protocol with spin.
# hint: an interleaving loses a wake-up; the comments in docs/models show how to print it
step_model() {
  require_tools "the model" spin clang || return 0
  scripts/model
}

# Builds everything; warnings are errors.
# hint: fix the errors above
step_build() { swift build --build-tests; }

# Compares the public API of the libraries with docs/api.
# hint: run scripts/api, and read the difference
step_api() { scripts/api --check; }

# Builds a package that depends on this one, without a warning, and runs its tests.
# hint: users would see that warning, or that failure
step_consumer() {
  local folder=.build/consumer printed promised
  # From scratch: an up-to-date module does not repeat its warnings.
  rm -rf "$folder"
  mkdir -p "$folder/Sources/App" "$folder/Tests/AppTests"
  python3 scripts/lib/blocks.py --write consumer "$folder"
  # By path instead of by URL, so that the checkout is built as it is.
  sed -i "s|url: \"[^\"]*\", branch: \"main\"|name: \"LoopTransactions\", path: \"$root\"|" "$folder/Package.swift"
  # README's first program, in a target whose code is on the main actor by default. C10.
  sed -i '0,/dependencies: \[product("LoopTransactions")\]/s//&,\n      swiftSettings: [.defaultIsolation(MainActor.self)]/' \
    "$folder/Package.swift"
  grep -q defaultIsolation "$folder/Package.swift" || die "no target has default isolation to the main actor"
  cp Samples/FirstLook.swift "$folder/Sources/App/main.swift"
  cp Tests/Consumer/*.swift "$folder/Tests/AppTests"
  swift build --build-tests --package-path "$folder" 2>&1 | tee "$folder/build.log"
  no_warnings "$folder/build.log"
  printed=$("$(swift build --show-bin-path --package-path "$folder")/App")
  promised=$(sed -n 's|^//   ||p' Samples/FirstLook.swift)
  [ "$printed" = "$promised" ] || die "README's first program prints '$printed' instead of '$promised'"
  [ "$(uname)" = Linux ] || return 0
  swift test --skip-build --disable-xctest --package-path "$folder"
}

# Checks that the compiler refuses the programs in Tests/Refused.
# hint: scripts/refused NAME repeats one program
step_refused() { scripts/refused; }

# Counts the instructions, allocations and kernel calls of the hot paths, and compares them.
# hint: the paths above grew; after a change on purpose run scripts/counts --write
step_counts() {
  require_tools "the hot paths" valgrind strace python3 || return 0
  scripts/counts --check
}

# Builds the documentation of all libraries, without a broken link.
# hint: fix the links or symbols named above; scripts/docs alone repeats it
step_docs() { scripts/docs; }

# Runs the programs in Samples and compares their output.
# hint: run it with 'swift run --package-path Samples NAME', or correct the output it promises
step_samples() { scripts/samples; }

# Tests the command line of loopbench: manual page, completions, terminals, exit codes.
# hint: each error above names a command; Tests/CommandLine/check repeats it
step_cli() { Tests/CommandLine/check; }

# The causes and names in a report of watch. Times, counts and the neighbours of a machine differ.
watch_rows() {
  sed -nE '/^ +[0-9.]+ m?s  /{s///; s/ +([0-9]+ times|once) +worst .*//; s/  +/  /; p}' |
    grep -v '^waiting for CPU'
}

# Runs the README's session of loopbench watch, and the list of programs.
# hint: run scripts/loopbench
step_loopbench() {
  [ "$(uname)" = Linux ] || return 0
  local session=$logs/watch.txt found shown row planted
  scripts/loopbench >"$session" 2>&1
  cat "$session"
  found=$(watch_rows <"$session")
  shown=$(sed -n '/^<!-- watch -->$/,/^```$/p' README.md | watch_rows)
  [ -n "$shown" ] || die "README.md shows no session of watch"
  if grep -q '^note: .*libdw' "$session"; then
    echo "note: libdw is not installed, so the README's session was not compared"
  else
    while read -r row; do
      grep -qxF "$row" <<<"$found" || die "README.md shows '$row', which the session has not"
    done <<<"$shown"
  fi
  grep -q 'watch --pid PID' "$session" || die "the session does not end with the first screen"
  .build/release/planted-holds >/dev/null &
  planted=$!
  # shellcheck disable=SC2064 # the number now
  trap "kill $planted" EXIT
  scripts/loopbench watch --list >"$session" || die "watch --list failed"
  grep -qE "^ *$planted .* planted-holds$" "$session" || die "not listed: $planted in: $(cat "$session")"
  echo "note: $(wc -l <<<"$shown") rows of the README's session compared"
}

# Builds Display without a warning and runs its tests under ThreadSanitizer.
# hint: to repeat its tests: swift test --package-path Display --sanitize=thread
step_display() {
  local file
  # shellcheck disable=SC2086 # a word each
  require_libraries Display $display_libraries || return 0
  # Compares the declarations of Cairo and Pango with the libraries' headers.
  for file in Display/Tests/Headers/*.c; do
    # shellcheck disable=SC2046 # a word each
    clang -std=c11 -Wall -Wextra -Werror -Wno-unused-const-variable -fsyntax-only \
      $(pkg-config --cflags pangocairo) "$file"
  done
  export TSAN_OPTIONS=$no_pause LT_STRESS_SCALE=0.25
  nested_package Display --sanitize=thread
}

# MARK: Slow

# Runs the tests under ThreadSanitizer.
# hint: the first report above has both stacks; scripts/races lists what is suppressed
step_thread() {
  # die_after_fork=0: some tests fork, and start threads in the child.
  export TSAN_OPTIONS=suppressions=$root/scripts/races:$no_pause:die_after_fork=0
  run_tests --sanitize=thread --scratch-path .build/tsan
}

# Runs the tests optimized and without @testable, as users build the library.
# hint: only here? look for @testable, an assert with a side effect, or a data race
step_release() { run_tests -c release --disable-testable-imports; }

# Runs the tests under AddressSanitizer.
# hint: the first report above names the access, the allocation and the release
step_address() {
  export LSAN_OPTIONS=suppressions=$root/scripts/leaks
  run_tests --sanitize=address --scratch-path .build/asan
}

# Runs the main thread's tests on programs that link the Swift runtime statically.
# hint: a symbol that dlsym finds dynamically may be hidden in a static link
step_static() {
  local program programs="main-thread-program async-main-program loop-main-program loop-main-sync-program"
  # The scratch folder of scripts/package, so that the library is built once.
  local build=(swift build -c release --static-swift-stdlib --scratch-path .build/static)
  for program in $programs; do "${build[@]}" --product "$program"; done
  TEST_PROGRAMS=$("${build[@]}" --show-bin-path)
  export TEST_PROGRAMS
  for program in $programs; do
    if ldd "$TEST_PROGRAMS/$program" | grep libswift; then return 1; fi
  done
  run_tests --filter "MainQueueBridge|LoopTransactionsMain"
}

# Runs the tests of Display under AddressSanitizer.
# hint: the first report above names the access, or the memory that leaks
step_displayed() {
  # shellcheck disable=SC2086 # a word each
  require_libraries Display $display_libraries || return 0
  export LT_STRESS_SCALE=0.25 LSAN_OPTIONS=suppressions=$root/Display/Tests/leaks
  run_tests --package-path Display --scratch-path "$root/.build/displayed" --sanitize=address
}

# Builds Hosts without a warning and runs its tests in the real host loops.
# hint: to repeat its tests: swift test -c release --package-path Hosts
step_hosts() {
  require_libraries Hosts glib-2.0 gtk4 sdl2 || return 0
  require_tools Hosts Xvfb xdotool || return 0
  # Optimized, because its tests compare times.
  nested_package Hosts -c release
}

# Builds the addons of Hosts/NodeAddon and tests them in Node 20, 22 and 24.
# hint: to repeat it: ADDONS=.build/node/build .build/node/24.19.0/bin/node --test Hosts/NodeAddon/Tests/*.test.js
step_node() { source scripts/steps/node; }

# Builds Examples without a warning, runs each program as its users would, and measures gtk-notes.
# hint: to repeat its tests: swift test --package-path Examples
step_examples() {
  require_libraries Examples gdk-pixbuf-2.0 gtk4 sdl2 || return 0
  require_tools Examples Xvfb xdotool import redis-cli redis-benchmark || return 0
  nested_package Examples
  # Only for the log: times depend on the machine.
  Examples/notes-frames 1
}

# Builds Clients without a warning and runs each program, and with AddressSanitizer.
# hint: to repeat its tests: swift test --package-path Clients
step_clients() {
  local library checked=.build/clients-address
  require_libraries Clients gtk4 || return 0
  require_tools Clients Xvfb strace pgrep || return 0
  # Clients/Package.swift leaves out the clients of these. The tests print a note for a client
  # whose server is not installed.
  export CLIENTS_WITHOUT=''
  for library in hiredis libpq libcurl libsystemd wayland-client; do
    require_libraries 'its client' "$library" || CLIENTS_WITHOUT+=" $library"
  done
  nested_package Clients
  # The same tests, with programs that AddressSanitizer checks. LeakSanitizer does not work
  # under strace, and reports GTK.
  swift build --package-path Clients --scratch-path "$checked" --sanitize=address
  export TEST_PROGRAMS=$root/$checked/debug ASAN_OPTIONS=detect_leaks=0
  run_tests --package-path Clients --scratch-path .build/clients
}

# Runs the tests on libuv 1.52.1.
# hint: to repeat one: the same swift test with --filter NAME; 1.45 moved timers to a tick's end
step_libuv() {
  local version=1.52.1 folder=$root/.build/libuv prefix
  prefix=$folder/$version
  require_tools "the newer libuv" pip tar make cc || return 0
  mkdir -p "$folder"
  if ! fetch_libuv "$folder"; then
    echo "note: libuv $version could not be downloaded, so its tests were skipped"
    return
  fi
  if [ ! -e "$prefix/lib/pkgconfig/libuv.pc" ]; then
    cd "$folder"/uvloop-*/vendor/libuv
    ./configure --quiet --disable-static --prefix="$prefix"
    make -s -j2 install
    cd "$root"
  fi
  # For the compiler and the linker, and for the tests and the programs that they start.
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib
  [ "$(pkg-config --modversion libuv)" = "$version" ]
  run_tests --scratch-path "$folder/build"
  ldd "$folder/build/debug/main-thread-program" | grep "$prefix/lib/libuv"
}

# Downloads the source archive of the Python package uvloop, which has libuv's sources.
fetch_libuv() {
  local folder=$1 uvloop=0.23.0
  [ ! -d "$folder/uvloop-$uvloop" ] || return 0
  pip download --quiet --no-deps --no-binary uvloop --dest "$folder" "uvloop==$uvloop" &&
    tar -xzf "$folder/uvloop-$uvloop.tar.gz" -C "$folder"
}

# Builds Examples/presence without a warning, runs nodes and clients, and kills a node.
# hint: to repeat its tests: swift test --package-path Examples/presence
step_presence() {
  require_libraries presence hiredis || return 0
  require_tools presence redis-server redis-cli || return 0
  nested_package Examples/presence
}

# Builds Peers without a warning and runs its tests, which measure each peer for a moment.
# hint: to repeat its tests: swift test -c release --package-path Peers
step_peers() {
  local header
  require_libraries Peers libevent_pthreads glib-2.0 tbb absl_flat_hash_set || return 0
  for header in boost/asio.hpp ev.h; do
    [ -e "/usr/include/$header" ] && continue
    echo "note: $header is not installed, so Peers was skipped"
    return
  done
  # Optimized, so that the test builds the program as users do.
  nested_package Peers -c release
  # The same with the peers in Rust, whose library the tests find beside themselves.
  if has cargo && compgen -G '/usr/share/cargo/registry/tokio-[0-9]*' >/dev/null; then
    Peers/Rust/build "$root/.build/peers/release"
    run_tests -c release --package-path Peers --scratch-path "$root/.build/peers" --filter CountTests
  else
    echo "note: cargo or librust-tokio-dev is not installed, so the peers in Rust were skipped"
  fi
}

# Builds packages that depend on this one by URL, without a warning, and compares their libraries.
# hint: users would see that warning, or would need that library
step_url() { source scripts/steps/url; }

# Compares the figures and files of loopbench with independent implementations.
# hint: each line above that says 'off' or 'error' names the figure
step_oracles() {
  require_tools "independent implementations" python3 || return 0
  python3 Tests/Oracles/oracles.py
}

# Builds the Debian package of loopbench and checks it with lintian.
# hint: scripts/package alone repeats it
step_package() {
  require_tools "the Debian package" dpkg-deb dpkg-shlibdeps lintian || return 0
  scripts/package
}

# Plants holds in other programs, compares the report of 'loopbench watch', and starts and ends it.
# hint: to repeat one, see --help of subjects.py and starts.py in Tests/WatchSubjects
step_watch() {
  require_tools "the watched programs" python3 || return 0
  python3 Tests/WatchSubjects/subjects.py
  python3 Tests/WatchSubjects/starts.py
}

# Installs the package, and runs the README's commands, on a clean Debian.
# hint: the last line above names the command; scripts/fresh alone repeats it
step_fresh() {
  require_tools "the clean Debian" debootstrap dpkg-deb dpkg-shlibdeps lintian || return 0
  [ "$(id -u)" = 0 ] || { echo "note: chroot needs root, so the clean Debian was skipped"; return; }
  scripts/fresh
}

# Runs the stress tests once at ten times their usual size.
# hint: the last line above repeats the round that failed
step_soak() { scripts/soak -m 0; }

"step_$1" "${@:2}"
