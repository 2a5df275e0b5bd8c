import LoopbenchKit

extension Command {
  /// The table of all commands. The parser, the help, the manual page, the
  /// completions and the suggestions use it.
  package static let table: [Command] = measuring + reading + describing

  private static let interrupting =
    "The first Ctrl-C ends the run after the current turn and reports the results so far. The"
    + " second ends it immediately."

  private static let measuring: [Command] = [
    Command(.run, "[SCENARIO...]", takes: .scenarios)
      .meaning("measure scenarios (the default)")
      .details([
        "Measures every peer of each scenario, interleaved in rounds, and prints a table for each"
          + " series. Without a name it measures all scenarios except those listed as \"only if"
          + " named\", in 20 to 40 s. SCENARIO may be one series of a scenario, as list prints it.",
        interrupting,
      ])
      .example("loopbench run", "every scenario, as tables")
      .example("loopbench wake -p lt,uv", "one scenario, two peers")
      .example("loopbench wake -o wake.json", "keep the full result"),
    Command(.compareLibuv)
      .meaning("answer on one screen how late a loop is, compared with libuv")
      .details([
        "Answers six questions, within 20 s: how late timers fire, how long wakes take, and the costs"
          + " of posts, duplicate commits and idle ticks. Each answer is compared with libuv, used"
          + " from C.",
        "A file of the run contains the six series of the screen. Use run -o FILE for a baseline of"
          + " all scenarios.",
        interrupting,
      ])
      .example("loopbench compare-libuv", "how late is your loop?")
      .example("loopbench compare-libuv -o answer.json", "keep the full result"),
    Command(.check, "[SCENARIO...]", takes: .scenarios)
      .meaning("measure and compare with a baseline; exit 3 if something got slower")
      .details(checking)
      .example("loopbench check --baseline main", "check this build")
      .example("loopbench check wake --baseline main --fail 'p99>+10%'", "with a rule"),
    Command(.replay, "FILE", takes: .files(1...1))
      .meaning("play a recorded load against the peers")
      .example("loopbench replay chat.load", "a recorded load"),
    Command(.trace, "[SCENARIO...|FILE]", takes: .scenarios)
      .meaning("draw the trace of a program, or record a short run")
      .details([
        "FILE is a trace that LoopTrace or the variable LOOPTRANSACTIONS_TRACE wrote, or - for"
          + " standard input. It has a dot or a slash in its name. trace prints its longest ticks"
          + " and its work by total time, and draws it as a page without external resources: to -o,"
          + " or beside FILE, with the suffix .html.",
        "For scenarios, and without an operand, it measures for the time of --for, with 50 samples"
          + " per slice unless -n is given, and writes Chrome trace events. Draw that file, or open"
          + " it at ui.perfetto.dev or in chrome://tracing. Tracing takes time itself: rely on the"
          + " order of events, not on their durations.",
      ])
      .example("loopbench trace server.json", "draw server.html")
      .example("loopbench trace wake -o wake.trace.json", "record a timeline"),
  ]

  private static var checking: [String] {
    let processes = "\(ReportComparison.confirmations) fresh processes"
    let standard = FailRule.standard.map(\.description).joined(separator: " and ")
    return [
      "Measures like run, then compares with --baseline. A peer that exceeds a rule of --fail and"
        + " the noise of both runs is measured again in up to \(processes). The exit code is 3 if"
        + " it exceeds the rule in all of them. A rule that limits a time needs no baseline.",
      "A rule without a peer does not cover references, and a rule without a series does not cover"
        + " series that are recorded along with another. Without --fail the rules are \(standard).",
    ]
  }

  private static let reading: [Command] = [
    Command(.report, "FILE...", takes: .files(1...1000))
      .meaning("show results that --output wrote")
      .example("loopbench report wake.json -f markdown", "for an issue")
      .example("loopbench report wake.json --percentiles 50,99.99", "other columns"),
    Command(.compare, "BASE NEW...", takes: .files(2...1000))
      .meaning("compare results, without measuring")
      .details([
        "BASE is a file or the name of a baseline. compare has the exit codes of check, but does"
          + " not confirm regressions by measuring again. With -f json, several NEW give an array."
      ])
      .example("loopbench compare before.json after.json", "two files")
      .example("loopbench compare main after.json --strict", "fail if too noisy"),
    Command(.baseline, "save NAME FILE | list | show NAME | rm NAME", takes: .baseline)
      .meaning("save results by name in the folder .loopbench")
      .example("loopbench baseline save main wake.json", "save one")
      .example("loopbench baseline list", "list the names"),
    Command(.plot, "FILE...", takes: .files(1...100))
      .meaning("draw results on top of each other")
      .details(["Draws an SVG file, which -o names."])
      .example("loopbench plot before.json after.json -o wake.svg", "two runs")
      .example("loopbench plot wake.json --kind time -o rounds.svg", "round by round"),
  ]

  private static let describing: [Command] = [
    Command(.list, "[scenarios|peers|metrics|formats|commands]", takes: .words(0...1))
      .words(ListText.Topic.allCases.map(\.rawValue))
      .meaning("list scenarios, peers, metrics, formats and commands")
      .example("loopbench list peers --json", "for a script"),
    Command(.doctor)
      .meaning("check whether this machine is fit for measuring")
      .example("loopbench doctor --strict", "exit 7 if it is not fit"),
    Command(.completion, "bash|zsh|fish", takes: .words(1...1))
      .words(Completion.Shell.allCases.map(\.rawValue))
      .meaning("print the completion script for a shell")
      .example("source <(loopbench completion bash)", "in ~/.bashrc")
      .example("loopbench completion zsh > ~/.zfunc/_loopbench", "a folder of $fpath")
      .example(
        "loopbench completion fish > ~/.config/fish/completions/loopbench.fish",
        "the folder of fish"
      ),
    Command(.man)
      .meaning("print the manual page")
      .example("loopbench man | man -l -", "read it with man"),
    Command(.schema)
      .meaning("print the JSON schema of results")
      .example("loopbench schema > loopbench-1.json", "for a validator"),
    Command(.help, "[COMMAND|SCENARIO]", takes: .topic)
      .meaning("explain a command or a scenario")
      .example("loopbench help compare", "a command")
      .example("loopbench help wake", "a scenario, with its timeline"),
    Command(.version)
      .meaning("show the versions of loopbench and libuv"),
  ]
}
