/// Why the functions of a hold have no names, and how to get them.
package enum NameHint: Hashable, Sendable {
  case java
  case javaScript
  /// Before version 3.12, or without its perf map.
  case python
  /// An interpreter whose functions cannot be named.
  case interpreter(String)
  /// A file of the program without symbols.
  case noSymbols(String)

  /// Nil if there are no stacks, if most have a function of the program with its name, or
  /// if the reason is not known.
  package init?(_ stacks: [[StackFrame]]) {
    let nameless = stacks.filter { !FrameRoles.hasNames($0) }
    guard nameless.count * 2 > stacks.count else { return nil }
    guard let hint = nameless.compactMap({ Self(nameless: $0) }).mostFrequent else { return nil }
    self = hint
  }

  private init?(nameless stack: [StackFrame]) {
    if let frame = stack.first(where: { $0.role == .program && !$0.isNamed }) {
      self = .noSymbols(frame.function)
    } else if stack.contains(where: { $0.function == "JavaCalls::call_helper" }) {
      self = .java
    } else if Self.calls("_PyEval_EvalFrame", in: stack) {
      self = .python
    } else if Self.calls("Builtins_JSEntry", in: stack) {
      self = .javaScript
    } else if Self.calls("Perl_runops", in: stack) {
      self = .interpreter("Perl")
    } else {
      return nil
    }
  }

  /// True if the stack has a function with the prefix, and none with a name from a perf
  /// map: functions of the language's own library are not the program's.
  private static func calls(_ prefix: String, in stack: [StackFrame]) -> Bool {
    stack.contains { $0.function.hasPrefix(prefix) }
      && !stack.contains { frame in
        let place = frame.place ?? ""
        return place.hasSuffix(".py") || place.hasPrefix("node:") || place.contains(".js:")
      }
  }

  /// The reason and the remedy, in words.
  package var text: String {
    switch self {
    case .java:
      "to name compiled functions of Java, start it with -XX:+PreserveFramePointer and run"
        + " jcmd PID Compiler.perfmap during the watch"
    case .javaScript:
      "to name the functions of Node.js, start it with"
        + " NODE_OPTIONS='--perf-basic-prof-only-functions --interpreted-frames-native-stack'"
    case .python:
      "to name the functions of Python, use version 3.12 or newer and PYTHONPERFSUPPORT=1"
    case .interpreter(let name): "the functions of \(name) cannot be named"
    case .noSymbols(let file):
      "\(file) has no symbols to name its functions: install its debug symbols, or do not"
        + " strip it"
    }
  }
}
