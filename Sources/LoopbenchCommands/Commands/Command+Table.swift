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
        Example(line: "loopbench", meaning: "everything"),
        Example(line: "loopbench wake -p lt,uv", meaning: "one scenario, two peers"),
        Example(line: "loopbench wake -o wake.json", meaning: "keep the full result"),
      ]
    ),
    Command(
      .check,
      "[SCENARIO...]",
      takes: .scenarios,
      "measure, compare with a baseline, and say so in the exit code",
      details: checking,
      examples: [
        Example(line: "loopbench check --baseline main", meaning: "is this build slower?"),
        Example(
          line: "loopbench check wake --baseline main --fail 'p99>+10%'",
          meaning: "by a rule of your own"
        ),
      ]
    ),
    Command(
      .replay,
      "FILE",
      takes: .files(1...1),
      "play a recorded load against the peers",
      examples: [Example(line: "loopbench replay chat.load", meaning: "a recorded load")]
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
      examples: [Example(line: "loopbench trace wake -o wake.trace.json", meaning: "a time line")]
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
        Example(line: "loopbench report wake.json -f markdown", meaning: "for an issue"),
        Example(
          line: "loopbench report wake.json --percentiles 50,99.99",
          meaning: "other columns"
        ),
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
        Example(line: "loopbench compare before.json after.json", meaning: "two files"),
        Example(
          line: "loopbench compare main after.json --strict",
          meaning: "or too noisy to tell"
        ),
      ]
    ),
    Command(
      .baseline,
      "save NAME FILE | list | show NAME | rm NAME",
      takes: .baseline,
      "keep results by name, in the folder .loopbench",
      examples: [
        Example(line: "loopbench baseline save main wake.json", meaning: "keep one"),
        Example(line: "loopbench baseline list", meaning: "what there is"),
      ]
    ),
    Command(
      .plot,
      "FILE...",
      takes: .files(1...100),
      "draw results, one over the other",
      details: ["With -o FILE.svg or FILE.html a picture; with --term, on the terminal."],
      examples: [
        Example(line: "loopbench plot before.json after.json -o wake.svg", meaning: "two runs"),
        Example(line: "loopbench plot wake.json --kind time --term", meaning: "round by round"),
      ]
    ),
  ]

  private static let describing: [Command] = [
    Command(
      .list,
      "[scenarios|peers|metrics|formats|commands]",
      takes: .words(0...1, of: ListText.Topic.allCases.map(\.rawValue)),
      "show what can be measured, by whom, and how it can be written",
      examples: [Example(line: "loopbench list peers --json", meaning: "for a script")]
    ),
    Command(
      .doctor,
      "",
      "say whether this machine is fit for measuring, and what to change",
      examples: [Example(line: "loopbench doctor --strict", meaning: "exit 7 if it is not")]
    ),
    Command(
      .completion,
      "bash|zsh|fish",
      takes: .words(1...1, of: CompletionScript.Shell.allCases.map(\.rawValue)),
      "print the completions of a shell",
      examples: [
        Example(line: "source <(loopbench completion bash)", meaning: "in ~/.bashrc"),
        Example(
          line: "loopbench completion zsh > ~/.zfunc/_loopbench",
          meaning: "a folder of $fpath"
        ),
        Example(
          line: "loopbench completion fish > ~/.config/fish/completions/loopbench.fish",
          meaning: "where fish looks"
        ),
      ]
    ),
    Command(
      .man,
      "",
      "print the manual page",
      examples: [Example(line: "loopbench man | man -l -", meaning: "read it")]
    ),
    Command(
      .schema,
      "",
      "print the JSON schema of results",
      examples: [Example(line: "loopbench schema > loopbench-1.json", meaning: "for a validator")]
    ),
    Command(
      .help,
      "[COMMAND|SCENARIO]",
      takes: .topic,
      "explain a command, or what a scenario times",
      examples: [
        Example(line: "loopbench help compare", meaning: "a command"),
        Example(line: "loopbench help wake", meaning: "a scenario, with its time line"),
      ]
    ),
    Command(.version, "", "show the version of loopbench and of libuv"),
  ]
}
