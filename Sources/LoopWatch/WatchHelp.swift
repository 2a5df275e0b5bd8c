/// The help of `loopbench watch`.
enum WatchHelp {
  static let text = """
    usage: loopbench watch [OPTIONS] -- COMMAND [ARGUMENT…]
           loopbench watch [OPTIONS] --pid PID

    Finds the event loops of a program, and reports why they were late. A loop is late
    while it runs callbacks for longer than the threshold without waiting for events.

      -p, --pid PID      watch a process that runs, by sampling it every millisecond:
                         shorter ticks are not seen
      --threshold TIME   a longer callback is late (20ms)
      -d, --duration TIME
                         end after this time; a program that was started is ended
                         by SIGTERM
      --each             print each late hold when it ends
      --follow           watch the program's children, too
      --fail RULE        exit with 3 if late>TIME or worst>TIME
      --json FILE        write all late holds as JSON
      --folded FILE      write the captured stacks for a flame graph
      -h, --help         show this help

    Needs libdw (Debian: libdw1) to name functions. Exits with the program's code.

    """
}
