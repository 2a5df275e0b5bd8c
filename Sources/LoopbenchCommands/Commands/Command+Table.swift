import LoopbenchKit

extension Command {
  /// The table of all commands. The parser, the help, the manual page, the
  /// completions and the suggestions use it.
  package static let table: [Command] = measuring + reading + describing

  private static let interrupting =
    "The first Ctrl-C ends the run after the current turn and reports the results so far. The"
    + " second ends it immediately."

  private static let measuring: [Command] = [
    Command(
      name: .run,
      operands: "[SCENARIO...]",
      takes: .scenarios,
      summary: "measure scenarios (the default)",
      details: [
        "Measures every peer of each scenario, interleaved in rounds, and prints a table for each"
          + " series. Without a name it measures all scenarios except those listed as \"only if"
          + " named\", in 20 to 40 s. SCENARIO may be one series of a scenario, as list prints it.",
        interrupting,
      ],
      examples: [
        "loopbench run": "every scenario, as tables",
        "loopbench wake -p lt,uv": "one scenario, two peers",
        "loopbench wake -o wake.json": "keep the full result",
      ]
    ),
    Command(
      name: .compareLibuv,
      summary: "answer on one screen how late a loop is, compared with libuv",
      details: [
        "Answers six questions, within 20 s: how late timers fire, how long wakes take, and the costs"
          + " of posts, duplicate commits and idle ticks. Each answer is compared with libuv, used"
          + " from C.",
        "A file of the run contains the six series of the screen. Use run -o FILE for a baseline of"
          + " all scenarios.",
        interrupting,
      ],
      examples: [
        "loopbench compare-libuv": "how late is your loop?",
        "loopbench compare-libuv -o answer.json": "keep the full result",
      ]
    ),
    Command(
      name: .check,
      operands: "[SCENARIO...]",
      takes: .scenarios,
      summary: "measure and compare with a baseline; exit 3 if something got slower",
      details: checking,
      examples: [
        "loopbench check --baseline main": "check this build",
        "loopbench check wake --baseline main --fail 'p99>+10%'": "with a rule",
      ]
    ),
    Command(
      name: .replay,
      operands: "FILE",
      takes: .files(1...1),
      summary: "play a recorded load against the peers",
      examples: ["loopbench replay chat.load": "a recorded load"]
    ),
    Command(
      name: .trace,
      operands: "[SCENARIO...|FILE]",
      takes: .scenarios,
      summary: "draw the trace of a program, or record a short run",
      details: [
        "FILE is a trace that LoopTrace or the variable LOOPTRANSACTIONS_TRACE wrote, or - for"
          + " standard input. It has a dot or a slash in its name. trace prints its longest ticks"
          + " and its work by total time, and draws it as a page without external resources: to -o,"
          + " or beside FILE, with the suffix .html.",
        "For scenarios, and without an operand, it measures for the time of --for, with 50 samples"
          + " per slice unless -n is given, and writes Chrome trace events. Draw that file, or open"
          + " it at ui.perfetto.dev or in chrome://tracing. Tracing takes time itself: rely on the"
          + " order of events, not on their durations.",
      ],
      examples: [
        "loopbench trace server.json": "draw server.html",
        "loopbench trace wake -o wake.trace.json": "record a timeline",
      ]
    ),
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
    Command(
      name: .report,
      operands: "FILE...",
      takes: .files(1...1000),
      summary: "show results that --output wrote",
      examples: [
        "loopbench report wake.json -f markdown": "for an issue",
        "loopbench report wake.json --percentiles 50,99.99": "other columns",
      ]
    ),
    Command(
      name: .compare,
      operands: "BASE NEW...",
      takes: .files(2...1000),
      summary: "compare results, without measuring",
      details: [
        "BASE is a file or the name of a baseline. compare has the exit codes of check, but does"
          + " not confirm regressions by measuring again. With -f json, several NEW give an array."
      ],
      examples: [
        "loopbench compare before.json after.json": "two files",
        "loopbench compare main after.json --strict": "fail if too noisy",
      ]
    ),
    Command(
      name: .baseline,
      operands: "save NAME FILE | list | show NAME | rm NAME",
      takes: .baseline,
      summary: "save results by name in the folder .loopbench",
      examples: [
        "loopbench baseline save main wake.json": "save one",
        "loopbench baseline list": "list the names",
      ]
    ),
    Command(
      name: .plot,
      operands: "FILE...",
      takes: .files(1...100),
      summary: "draw results on top of each other",
      details: ["Draws an SVG or HTML file with -o, and on the terminal with --term."],
      examples: [
        "loopbench plot before.json after.json -o wake.svg": "two runs",
        "loopbench plot wake.json --kind time --term": "round by round",
      ]
    ),
  ]

  private static let describing: [Command] = [
    Command(
      name: .list,
      operands: "[scenarios|peers|metrics|formats|commands]",
      takes: .words(0...1),
      knownWords: ListText.Topic.allCases.map(\.rawValue),
      summary: "list scenarios, peers, metrics, formats and commands",
      examples: ["loopbench list peers --json": "for a script"]
    ),
    Command(
      name: .doctor,
      summary: "check whether this machine is fit for measuring",
      examples: ["loopbench doctor --strict": "exit 7 if it is not fit"]
    ),
    Command(
      name: .completion,
      operands: "bash|zsh|fish",
      takes: .words(1...1),
      knownWords: Completion.Shell.allCases.map(\.rawValue),
      summary: "print the completion script for a shell",
      examples: [
        "source <(loopbench completion bash)": "in ~/.bashrc",
        "loopbench completion zsh > ~/.zfunc/_loopbench": "a folder of $fpath",
        "loopbench completion fish > ~/.config/fish/completions/loopbench.fish":
          "the folder of fish",
      ]
    ),
    Command(
      name: .man,
      summary: "print the manual page",
      examples: ["loopbench man | man -l -": "read it with man"]
    ),
    Command(
      name: .schema,
      summary: "print the JSON schema of results",
      examples: ["loopbench schema > loopbench-1.json": "for a validator"]
    ),
    Command(
      name: .help,
      operands: "[COMMAND|SCENARIO]",
      takes: .topic,
      summary: "explain a command or a scenario",
      examples: [
        "loopbench help compare": "a command",
        "loopbench help wake": "a scenario, with its timeline",
      ]
    ),
    Command(name: .version, summary: "show the versions of loopbench and libuv"),
  ]
}
