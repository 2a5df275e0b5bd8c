import LoopbenchKit

extension Command {
  /// Every command. The parser, the help, the manual page, the completions and
  /// the suggestions are made from it.
  package static let table: [Command] = measuring + reading + describing

  private static let measuring: [Command] = [
    Command(
      .run,
      "[SCENARIO...]",
      takes: .scenarios,
      "measure scenarios (the default)",
      details: [
        "Measures every peer of each scenario, interleaved in rounds, and prints a table for each"
          + " series. Without a name it measures all scenarios that do not say \"if asked for\", in"
          + " about 20 s.",
        "The first Ctrl-C ends the run after the turn that is being measured, and what was"
          + " measured is reported; the second ends it at once.",
      ],
      examples: [
        "loopbench": "everything",
        "loopbench wake -p lt,uv": "one scenario, two peers",
        "loopbench wake -o wake.json": "keep the full result",
      ]
    ),
    Command(
      .check,
      "[SCENARIO...]",
      takes: .scenarios,
      "measure, compare with a baseline, and say so in the exit code",
      details: checking,
      examples: [
        "loopbench check --baseline main": "is this build slower?",
        "loopbench check wake --baseline main --fail 'p99>+10%'": "by a rule of your own",
      ]
    ),
    Command(
      .replay,
      "FILE",
      takes: .files(1...1),
      "play a recorded load against the peers",
      examples: ["loopbench replay chat.load": "a recorded load"]
    ),
    Command(
      .trace,
      "[SCENARIO...]",
      takes: .scenarios,
      "draw a time line of a short run, for Perfetto",
      details: [
        "Measures for --for, with 50 samples in a slice unless -n says otherwise, and writes what"
          + " happened when as Chrome's trace events: open the file at ui.perfetto.dev or in"
          + " chrome://tracing. A trace costs time: believe its order, not its figures."
      ],
      examples: ["loopbench trace wake -o wake.trace.json": "a time line"]
    ),
  ]

  private static var checking: [String] {
    let processes = "\(ReportComparison.confirmations) fresh processes"
    let standard = FailRule.standard.map(\.description).joined(separator: " and ")
    return [
      "Measures as run does, then compares with --baseline. What is slower than a rule of --fail"
        + " allows, beyond the noise of both runs, is measured again in up to \(processes), and"
        + " is exit 3 if it is slower in all of them. A rule that states a time needs no baseline.",
      "A rule that names no peer passes references over, one that names no series those that are"
        + " recorded along with another. Without --fail the rules are \(standard).",
    ]
  }

  private static let reading: [Command] = [
    Command(
      .report,
      "FILE...",
      takes: .files(1...1000),
      "show results that were written with --output",
      examples: [
        "loopbench report wake.json -f markdown": "for an issue",
        "loopbench report wake.json --percentiles 50,99.99": "other columns",
      ]
    ),
    Command(
      .compare,
      "BASE NEW...",
      takes: .files(2...1000),
      "compare results, without measuring",
      details: [
        "BASE is a file or the name of a baseline. Exits as check does, but measures nothing again:"
          + " what one process alone shows, it believes. With -f json, several NEW are an array."
      ],
      examples: [
        "loopbench compare before.json after.json": "two files",
        "loopbench compare main after.json --strict": "or too noisy to tell",
      ]
    ),
    Command(
      .baseline,
      "save NAME FILE | list | show NAME | rm NAME",
      takes: .baseline,
      "keep results by name, in the folder .loopbench",
      examples: [
        "loopbench baseline save main wake.json": "keep one",
        "loopbench baseline list": "what there is",
      ]
    ),
    Command(
      .plot,
      "FILE...",
      takes: .files(1...100),
      "draw results, one over the other",
      details: ["With -o FILE.svg or FILE.html a picture; with --term, on the terminal."],
      examples: [
        "loopbench plot before.json after.json -o wake.svg": "two runs",
        "loopbench plot wake.json --kind time --term": "round by round",
      ]
    ),
  ]

  private static let describing: [Command] = [
    Command(
      .list,
      "[scenarios|peers|metrics|formats|commands]",
      takes: .words(0...1, of: ListText.Topic.allCases.map(\.rawValue)),
      "show what can be measured, by whom, and how it can be written",
      examples: ["loopbench list peers --json": "for a script"]
    ),
    Command(
      .doctor,
      "",
      "say whether this machine is fit for measuring, and what to change",
      examples: ["loopbench doctor --strict": "exit 7 if it is not"]
    ),
    Command(
      .completion,
      "bash|zsh|fish",
      takes: .words(1...1, of: CompletionScript.Shell.allCases.map(\.rawValue)),
      "print the completions of a shell",
      examples: [
        "source <(loopbench completion bash)": "in ~/.bashrc",
        "loopbench completion zsh > ~/.zfunc/_loopbench": "a folder of $fpath",
        "loopbench completion fish > ~/.config/fish/completions/loopbench.fish": "where fish looks",
      ]
    ),
    Command(
      .man,
      "",
      "print the manual page",
      examples: ["loopbench man | man -l -": "read it"]
    ),
    Command(
      .schema,
      "",
      "print the JSON schema of results",
      examples: ["loopbench schema > loopbench-1.json": "for a validator"]
    ),
    Command(
      .help,
      "[COMMAND|SCENARIO]",
      takes: .topic,
      "explain a command, or what a scenario times",
      examples: [
        "loopbench help compare": "a command",
        "loopbench help wake": "a scenario, with its time line",
      ]
    ),
    Command(.version, "", "show the version of loopbench and of libuv"),
  ]
}
