/// The help of `loopbench watch`.
enum WatchHelp {
  static let text = """
    usage: loopbench watch [OPTIONS] -- COMMAND [ARGUMENT…]

    Starts a program, finds the event loops of its threads, and reports why they were
    late: a loop is late while a callback runs for longer than the threshold.

      --threshold TIME   a longer callback is late (20ms)
      -d, --duration TIME
                         end the program after this time, by SIGTERM
      --each             print each late hold when it ends
      --follow           watch the program's children, too
      --fail RULE        exit with 3 if late>TIME or worst>TIME
      --json FILE        write all late holds as JSON
      --folded FILE      write the captured stacks for a flame graph
      -h, --help         show this help

    Needs libdw (Debian: libdw1) to name functions. Exits with the program's code.

    """
}
