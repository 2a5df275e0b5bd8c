import LoopbenchKit

/// Completes a command line for a shell.
///
/// The scripts of `loopbench completion` run `loopbench __complete WORD...`, so that
/// every shell offers the same words.
package struct Completion {
  /// The first argument of a request.
  static let request = "__complete"

  private typealias Candidate = (word: String, summary: String)

  private let context: Context

  package init(_ context: Context) { self.context = context }

  /// Returns a line for each candidate, which consists of the word, a tab and a
  /// summary. A single `:` means that the shell must complete file names.
  ///
  /// - Parameter words: The words of the command line without the program's name.
  ///   The last word is the word to complete, and may be empty.
  package func reply(to words: [String]) -> String {
    guard let candidates = candidates(for: words) else { return ":\n" }
    return candidates.filter { $0.word.hasPrefix(words.last ?? "") }
      .map { $0.word + ($0.summary.isEmpty ? "" : "\t" + $0.summary) + "\n" }.joined()
  }

  /// Returns the candidates. Nil means that the shell must complete file names.
  private func candidates(for words: [String]) -> [Candidate]? {
    let (before, current) = (words.dropLast(), words.last ?? "")
    let previous = before.last ?? ""
    let command = before.lazy.compactMap { Command.Name(rawValue: $0) }.first
    if command == .baseline, ["save", "show", "rm"].contains(previous) {
      // try?: a folder that cannot be read offers no names.
      return Self.plain((try? BaselineStore(folder: context.baselines).list()) ?? [])
    }
    let options = Option.of(command ?? .run)
    let option = options.first { $0.long == previous || $0.short == previous }
    if case .value(let values, _) = option?.action { return candidates(values, current) }
    if current.hasPrefix("-") { return options.map { ($0.long, $0.summary(in: context.registry)) } }
    let all =
      context.watchCommand.map { ($0.name, $0.summary) }
      + Command.table(in: context.registry).map { ($0.name.rawValue, $0.summary) }
      + context.extraCommands.map { ($0.name, $0.summary) }
    let commands = command == nil ? all : []
    // A file to draw has a dot or a slash in its name.
    if command == .trace, current.contains(where: { "./".contains($0) }) { return nil }
    return operands(of: Command.named(command ?? .run)).map { commands + $0 }
  }

  private func candidates(_ values: Option.ValueKind, _ current: String) -> [Candidate]? {
    switch values {
    case .any: []
    case .file: nil
    case .oneOf(let words): Self.plain(words)
    case .peers: Self.list(context.registry.peerNames, current)
    case .scenarios: Self.list(scenarios, current)
    }
  }

  private func operands(of command: Command) -> [Candidate]? {
    switch command.takes {
    case .nothing: []
    case .scenarios: context.registry.scenarios.map { ($0.name, $0.summary) }
    case .files: nil
    case .words: Self.plain(command.knownWords)
    case .topic: Self.plain(context.ownNames)
    case .baseline: Self.plain(OptionParser.baselineVerbs)
    }
  }

  private var scenarios: [String] { context.registry.scenarios.map(\.name) }

  private static func plain(_ words: [String]) -> [Candidate] { words.map { ($0, "") } }

  /// Completes the part after the last comma.
  private static func list(_ words: [String], _ current: String) -> [Candidate] {
    let complete = current.lastIndex(of: ",").map { current[...$0] } ?? ""
    return plain(words.map { complete + $0 })
  }
}

extension Completion {
  package enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish

    /// The script that `loopbench completion` prints.
    package var script: String {
      switch self {
      case .bash: Completion.bash
      case .zsh: Completion.zsh
      case .fish: Completion.fish
      }
    }
  }

  private static let bash = """
    # bash completion of loopbench; made by: loopbench completion bash
    _loopbench() {
      local IFS=$'\\n' current=${COMP_WORDS[COMP_CWORD]} reply
      reply=$("${COMP_WORDS[0]}" \(request) "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f 1)
      [ "$reply" != : ] || reply=$(compgen -f -- "$current")
      # shellcheck disable=SC2206 # a word per line
      COMPREPLY=($reply)
    }
    complete -F _loopbench loopbench

    """

  private static let zsh = """
    #compdef loopbench
    # zsh completion of loopbench; made by: loopbench completion zsh
    _loopbench() {
      local -a lines
      lines=(${(f)"$($words[1] \(request) "${(@)words[2,CURRENT]}" 2>/dev/null)"})
      if [[ $lines[1] == : ]]; then
        _files
      elif (( $#lines )); then
        lines=(${lines//:/\\\\:})
        lines=(${lines/$'\\t'/:})
        _describe word lines
      fi
    }
    if [[ $funcstack[1] == _loopbench ]]; then _loopbench "$@"; else compdef _loopbench loopbench; fi

    """

  private static let fish = """
    # fish completion of loopbench; made by: loopbench completion fish
    function __loopbench_complete
      set -l words (commandline -opc)
      set -l current (commandline -ct)
      set -l reply ($words[1] \(request) $words[2..-1] "$current" 2>/dev/null)
      if test "$reply" = :
        __fish_complete_path "$current"
      else
        string join \\n -- $reply
      end
    end
    complete -c loopbench -f -a '(__loopbench_complete)'

    """
}
