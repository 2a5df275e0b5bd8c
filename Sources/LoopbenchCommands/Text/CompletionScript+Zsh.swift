import LoopbenchKit

extension CompletionScript {
  var zsh: String {
    let values = Self.valued.map { rows in
      "    (\(pattern(rows[0]))) \(reply(of: rows, opening: "(", zshReply)); return ;;"
    }
    let operands = Command.table.map { command in
      let options = Option.of(command.name).map { described($0.long, $0.summary) }
      let words = words(beside: command)
      return """
            (\(command.name))
              options=(\(options.joined(separator: " ")))
              words_here=(\((words ?? []).joined(separator: " ")))
              \(words == nil ? "files=yes" : "files=")
              ;;
        """
    }
    let rows = Command.table.map { described($0.name.rawValue, $0.summary) }
    return """
      #compdef loopbench
      # zsh completion of loopbench; made by: loopbench completion zsh
      _loopbench() {
        local -a options subcommands words_here
        local command word files
        subcommands=(\(rows.joined(separator: " ")))
        for word in "${(@)words[2,CURRENT-1]}"; do
          case $word in (\(commands.joined(separator: "|"))) command=$word; break ;; esac
        done
        case $command.$words[CURRENT-1] in
          (baseline.show|baseline.rm|baseline.save) compadd -- ${(f)"$($words[1] baseline list 2>/dev/null)"}; return ;;
        esac
        case $words[CURRENT-1] in
      \(values.joined(separator: "\n"))
        esac
        case ${command:-run} in
      \(operands.joined(separator: "\n"))
        esac
        if [[ $words[CURRENT] == -* ]]; then
          _describe -o option options
          return
        fi
        [[ -n $command ]] || _describe command subcommands
        (( $#words_here )) && compadd -- $words_here
        [[ -z $files ]] || _files
      }
      if [[ $funcstack[1] == _loopbench ]]; then _loopbench "$@"; else compdef _loopbench loopbench; fi

      """
  }

  private func zshReply(after option: Option) -> String {
    guard let words = words(after: option) else { return "_files" }
    guard !words.isEmpty else { return ":" }
    let list = "compadd -- \(words.joined(separator: " "))"
    return isList(option) ? "compset -P '*,'; \(list)" : list
  }

  /// `'name:what it means'`, quoted.
  private func described(_ name: String, _ summary: String) -> String {
    Self.quoted(name + ":" + summary)
  }

  /// In single quotes, for any shell but fish.
  private static func quoted(_ text: String) -> String {
    "'" + text.replacing("'", with: "'\\''") + "'"
  }
}

extension CompletionScript {
  var fish: String {
    let start = [
      "# fish completion of loopbench; made by: loopbench completion fish",
      "complete -c loopbench -f",
    ]
    let rows = Command.table.map { command in
      "complete -c loopbench -n __fish_use_subcommand -a \(command.name) -d "
        + escaped(command.summary)
    }
    let operands = Command.table.compactMap { command -> String? in
      let condition = "'\(condition(of: [command.name]))'"
      guard let words = words(beside: command) else {
        return "complete -c loopbench -n \(condition) -F"
      }
      return words.isEmpty
        ? nil : "complete -c loopbench -n \(condition) -a '\(words.joined(separator: " "))'"
    }
    let names = [
      "complete -c loopbench -n '__fish_seen_subcommand_from show rm save'"
        + " -a '(loopbench baseline list 2>/dev/null)'"
    ]
    return (start + rows + operands + names + Option.table.map(fish)).joined(separator: "\n") + "\n"
  }

  private func fish(_ option: Option) -> String {
    let value =
      switch (option.placeholder, words(after: option)) {
      case (nil, _): ""
      case (_, nil): " -r -F"
      case (_, let words?):
        words.isEmpty ? " -x" : " -x -a '\(fishWords(words, of: option))'"
      }
    return "complete -c loopbench -n '\(condition(of: option.commands))'"
      + " -l \(option.key)" + (option.short.map { " -s \($0.dropFirst())" } ?? "") + value
      + " -d " + escaped(option.summary)
  }

  private func fishWords(_ words: [String], of option: Option) -> String {
    let list = words.joined(separator: " ")
    return isList(option) ? "(__fish_append , \(list))" : list
  }

  /// Whether one of `names` is what is being written; no command means `run`.
  private func condition(of names: Set<Command.Name>) -> String {
    let others = Command.Name.allCases.filter { !names.contains($0) }.map(\.rawValue)
    let own = Command.Name.allCases.filter(names.contains).map(\.rawValue)
    if others.isEmpty { return "true" }
    return names.contains(.run)
      ? "not __fish_seen_subcommand_from \(others.joined(separator: " "))"
      : "__fish_seen_subcommand_from \(own.joined(separator: " "))"
  }

  private func escaped(_ text: String) -> String {
    "'" + text.replacing("'", with: "\\'") + "'"
  }
}
