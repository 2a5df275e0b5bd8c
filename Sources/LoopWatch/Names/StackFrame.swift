/// One function of a captured stack.
package struct StackFrame: Hashable, Sendable {
  package enum Role: Hashable, Sendable {
    /// The program's own code.
    case program
    /// The code of a loop: it calls callbacks.
    case loop
    /// The C library, an interpreter, and other libraries.
    case library
    /// The collector of garbage.
    case collector
  }

  package var function: String
  /// `cart.js:88`, or the file name of a library.
  package var place: String?
  package var role: Role
  /// False if `function` is only the name of a file, whose symbols were stripped.
  package var isNamed: Bool

  package init(_ function: String, place: String? = nil, role: Role, isNamed: Bool = true) {
    (self.function, self.place, self.role, self.isNamed) = (function, place, role, isNamed)
  }

  package var description: String {
    place.map { "\(function) \($0)" } ?? function
  }
}

/// Decides the roles of native functions by module and name.
package enum FrameRoles {
  /// - Parameters:
  ///   - symbol: Demangled.
  ///   - module: The path of the mapped file.
  ///   - isProgram: True if the module is the program's executable.
  package static func role(symbol: String?, module: String, isProgram: Bool) -> StackFrame.Role {
    let file = module.split(separator: "/").last.map(String.init) ?? module
    let name = symbol ?? ""
    if collectors.contains(where: { name.contains($0) }) { return .collector }
    if loopFunctions.contains(name) { return .loop }
    if loopFiles.contains(where: { file.hasPrefix($0) }) { return .loop }
    let owner = owner(of: name)
    if loopPrefixes.contains(where: { owner.hasPrefix($0) }) { return .loop }
    if isInterpreter(file) || runtimePrefixes.contains(where: { owner.hasPrefix($0) }) {
      return .library
    }
    return isProgram || !isSystem(module) ? .program : .library
  }

  /// `Module.f` of `closure #1 in Module.f`.
  private static func owner(of name: String) -> Substring {
    guard name.hasPrefix("closure ") || name.hasPrefix("partial apply ") else { return name[...] }
    return name.split(separator: " ").last ?? name[...]
  }

  /// `a::(anonymous namespace)::f` of `a::(anonymous namespace)::f(int, char) const`:
  /// the parameters are too long for a line.
  package static func withoutParameters(_ name: String) -> String {
    guard let end = name.lastIndex(of: ")") else { return name }
    var depth = 0
    var index = end
    while true {
      switch name[index] {
      case ")": depth += 1
      case "(": depth -= 1
      default: break
      }
      if depth == 0 { break }
      guard index > name.startIndex else { return name }
      index = name.index(before: index)
    }
    return index == name.startIndex ? name : String(name[..<index])
  }

  /// `a::f<b>` of `void a::f<b>`, the name of a function in C++. Long arguments of a
  /// template become `<…>`, because they do not fit in a line.
  package static func withoutTypes(_ name: String) -> String {
    let kept = ["operator<", "operator>", "operator-", "operator "]
    guard name.contains("<"), !kept.contains(where: name.contains) else { return name }
    let isLong = name.count > 60
    var (short, depth) = ("", 0)
    for character in name {
      if character == ">" { depth -= 1 }
      switch character {
      // The name follows the result, which only templates have.
      case " " where depth == 0 && !short.contains("("): short = ""
      case "<" where isLong && depth == 0: short += "<…>"
      case _ where isLong && (depth > 0 || character == ">"): break
      default: short.append(character)
      }
      if character == "<" { depth += 1 }
    }
    return short.isEmpty ? name : short
  }

  /// True for the stack of a thread that waits for other threads of its runtime, one of
  /// which waits for events.
  ///
  /// - Parameter isHelper: Whether the thread polls now and then, and is not the main
  ///   thread. At a condition variable, it waits for its next work.
  package static func isParked(_ stack: [StackFrame], isHelper: Bool = false) -> Bool {
    for frame in stack {
      if parking.contains(where: { frame.function.hasSuffix($0) }) { return true }
      if isHelper, frame.function.hasPrefix("pthread_cond_") { return true }
      if frame.role == .program { return false }
    }
    return false
  }

  /// True if a function of the program has a name; false if its symbols were stripped.
  package static func hasNames(_ stack: [StackFrame]) -> Bool {
    stack.contains { $0.role == .program && $0.isNamed }
  }

  private static let parking = [
    "::park::Parker::park", "::park::Inner::park", "asio::detail::posix_event::wait",
  ]

  /// True for an executable whose own functions are an interpreter's.
  package static func isInterpreter(_ file: String) -> Bool {
    ["node", "python", "libpython", "libnode", "ruby", "perl", "bun", "deno"]
      .contains { file.hasPrefix($0) }
  }

  private static func isSystem(_ module: String) -> Bool {
    ["/lib/", "/usr/lib", "/lib64/", "[vdso]"].contains { module.hasPrefix($0) }
      || ["/usr/lib/swift/", "/libswift", ".cpython-"].contains { module.contains($0) }
      // This library, which the watch adds.
      || module.hasSuffix("/libloopbench-waits.so")
  }

  private static let collectors = [
    "Heap::CollectGarbage", "Heap::PerformGarbageCollection", "gc_collect_main",
    "IncrementalMarking",
    "Scavenger", "MarkCompactCollector", "je_arena_purge",
  ]
  private static let loopFunctions: Set<String> = [
    "aeMain", "aeProcessEvents", "ngx_process_events_and_timers", "ngx_epoll_process_events",
    "ngx_worker_process_cycle", "ngx_single_process_cycle", "event_base_loop", "ev_run",
    "EventLoop.run(_:)",
  ]
  private static let loopFiles = [
    "libuv.", "libglib-2.0", "libevent", "libev.", "libuvloop", "libsystemd",
  ]
  private static let loopPrefixes = [
    "uv_", "uv__", "g_main_", "tokio::runtime", "mio::", "LoopTransactions.",
    "asio::detail::scheduler::", "boost::asio::detail::scheduler::",
  ]
  private static let runtimePrefixes = [
    "node::", "v8::", "std::", "core::", "alloc::", "swift_", "Py", "_Py", "__libc_", "_start",
    "Builtins_", "tokio::", "asio::", "boost::", "Swift.", "Foundation.", "Dispatch.",
    "reabstraction thunk helper ",
  ]
}
