package import LoopbenchKit

/// `loopbench completion`: what a shell completes, made from the tables.
package struct CompletionScript {
  let scenarios: [String]
  let peers: [String]

  package enum Shell: String, CaseIterable, Sendable {
    case bash
    case zsh
    case fish
  }

  package init(_ registry: Registry) {
    scenarios = registry.scenarios.map(\.name)
    peers = registry.peerNames
  }

  package func text(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  var commands: [String] { Command.table.map(\.name.rawValue) }

  /// What may follow an option; `nil` for files.
  func words(after option: Option) -> [String]? {
    guard case .value(let words, _) = option.action else { return [] }
    switch words {
    case .anything: return []
    case .file: return nil
    case .oneOf(let words): return words
    case .peers: return peers
    case .scenarios: return scenarios
    case .exports: return ReportFormat.allCases.map { $0.rawValue + "=" }
    }
  }

  /// What may stand beside a command; `nil` for files.
  func words(beside command: Command) -> [String]? {
    switch command.takes {
    case .nothing: []
    case .scenarios: scenarios
    case .counted(_, let words): words
    case .topic: commands + scenarios
    case .baseline: OptionParser.baselineVerbs
    }
  }

  /// Whether commas stand between values of an option.
  func isList(_ option: Option) -> Bool {
    guard case .value(let words, _) = option.action else { return false }
    switch words {
    case .peers, .scenarios: return true
    case .anything, .file, .oneOf, .exports: return false
    }
  }

  /// Options that take a value, as a shell's pattern names them.
  func pattern(_ option: Option) -> String {
    [option.long, option.short].compactMap { $0 }.joined(separator: "|")
  }

  /// Options that take a value: the rows of one name together.
  static let valued: [[Option]] = Option.table.filter { $0.placeholder != nil }.reduce(into: []) {
    names,
    option in
    if let index = names.firstIndex(where: { $0[0].long == option.long }) {
      names[index].append(option)
    } else {
      names.append([option])
    }
  }

  /// As a shell's pattern names the commands that take an option.
  func takers(_ option: Option) -> String {
    Command.Name.allCases.filter(option.commands.contains).map(\.rawValue).joined(separator: "|")
  }

  /// What follows one of `rows`, which are called alike: by the command, if they are
  /// several. `opening` stands before a pattern.
  func reply(of rows: [Option], opening: String, _ reply: (Option) -> String) -> String {
    guard rows.count > 1 else { return reply(rows[0]) }
    let cases = rows.map { "\(opening)\(takers($0))) \(reply($0)) ;;" }
    return "case ${command:-run} in " + cases.joined(separator: " ") + " esac"
  }
}

extension CompletionScript {
  private var bash: String {
    let values = Self.valued.map { rows in
      "    \(pattern(rows[0]))) \(reply(of: rows, opening: "", bashReply)) ;;"
    }
    let operands = Command.table.map { command in
      let options = Option.of(command.name).map(\.long).joined(separator: " ")
      let words = words(beside: command)
      return "    \(command.name)) options=\"\(options)\" "
        + (words.map { "words=\"\($0.joined(separator: " "))\"" } ?? "files=yes") + " ;;"
    }
    return """
      # bash completion of loopbench; made by: loopbench completion bash
      _loopbench() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
        local command='' options='' words='' files='' reply='' word before=''
        # What stands before the last comma stays.
        case $current in *,*) before=${current%,*}, ;; esac
        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          case $word in \(commands.joined(separator: "|"))) command=$word && break ;; esac
        done
        case $command.$previous in baseline.show|baseline.rm|baseline.save) previous=NAME ;; esac
        case $previous in
          NAME) reply=$(compgen -W "$("${COMP_WORDS[0]}" baseline list 2>/dev/null)" -- "$current") ;;
      \(values.joined(separator: "\n"))
          *)
            case ${command:-run} in
      \(operands.map { "      " + $0.drop { $0 == " " } }.joined(separator: "\n"))
            esac
            [ -n "$command" ] || words="$words \(commands.joined(separator: " "))"
            case $current in -*) words=$options files='' ;; esac
            reply=$(compgen -W "$words" -- "$current")
            [ -z "$files" ] || reply=$(compgen -f -- "$current")
            ;;
        esac
        local IFS=$'\\n'
        # shellcheck disable=SC2206 # a line each
        COMPREPLY=($reply)
      }
      complete -F _loopbench loopbench

      """
  }

  private func bashReply(after option: Option) -> String {
    guard let words = words(after: option) else { return "reply=$(compgen -f -- \"$current\")" }
    let list = "-W \"\(words.joined(separator: " "))\""
    return isList(option)
      ? "reply=$(compgen -P \"$before\" \(list) -- \"${current##*,}\")"
      : "reply=$(compgen \(list) -- \"$current\")"
  }
}
