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
    guard case .value(_, let words, _) = option.action else { return [] }
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
    case .baseline: ["save", "list", "show", "rm"]
    }
  }

  /// Options that take a value, as a shell's pattern names them.
  func pattern(_ option: Option) -> String {
    [option.long, option.short].compactMap { $0 }.joined(separator: "|")
  }

  static let valued = Option.table.filter { $0.placeholder != nil }
}

extension CompletionScript {
  private var bash: String {
    let values = Self.valued.map { option in
      let reply = words(after: option).map { "compgen -W \"\($0.joined(separator: " "))\"" }
      return "    \(pattern(option))) reply=$(\(reply ?? "compgen -f") -- \"$current\") ;;"
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
        local command='' options='' words='' files='' reply='' word
        for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          case $word in \(commands.joined(separator: "|"))) command=$word && break ;; esac
        done
        case $previous in
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
}
