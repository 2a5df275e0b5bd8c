import LoopWatch
import Testing

@Suite("Names")
struct NamesTests {
  @Test("a perf map names the function that contains an address")
  func perfMap() {
    var map = PerfMap()
    map.add("1000 10 JS:*a /x/a.js:1:2\n2000 20 JS:~b /x/".utf8)
    map.add("b.js:3:4\nnonsense\n3000 zz c\n".utf8)
    #expect(map.name(at: 0x1000) == "JS:*a /x/a.js:1:2")
    #expect(map.name(at: 0x201f) == "JS:~b /x/b.js:3:4")
    #expect(map.name(at: 0x2020) == nil && map.name(at: 0xfff) == nil)
  }

  @Test("the newest of two functions at one address is found, also after a reading")
  func movedCode() {
    var map = PerfMap()
    map.add("1000 10 old\n".utf8)
    #expect(map.name(at: 0x1008) == "old")
    map.add("1000 10 new\n".utf8)
    #expect(map.name(at: 0x1008) == "new")
  }

  @Test("new code replaces the parts of old code that it overlaps")
  func overlap() {
    var map = PerfMap()
    map.add("1000 100 large\n1040 20 inner\n2010 10 small\n".utf8)
    #expect(map.name(at: 0x1048) == "inner" && map.name(at: 0x1008) == "large")
    map.add("2000 100 around\n1020 30 across\n".utf8)
    #expect(map.name(at: 0x2018) == "around" && map.name(at: 0x2008) == "around")
    #expect(map.name(at: 0x1048) == "across" && map.name(at: 0x1010) == "large")
    #expect(map.name(at: 0x1058) == "inner")
  }

  @Test("an address after the end of the address space is ignored")
  func overflow() {
    var map = PerfMap()
    map.add("ffffffffffffffff 10 a\n".utf8)
    #expect(map.isEmpty)
  }

  @Test(
    "names of JavaScript, Python and Java functions are shown as a function and a line",
    arguments: [
      ("JS:*loadCart /srv/cart.js:88:12", "loadCart cart.js:88", StackFrame.Role.program),
      ("JS:~ /srv/server.js:12:3", "(anonymous) server.js:12", .program),
      ("JS:+'map /srv/cart.js:9:1", "map cart.js:9", .program),
      ("LazyCompile:^f /a b/c.js:1:1", "f c.js:1", .program),
      (
        "JS:*listOnTimeout node:internal/timers:517:25",
        "listOnTimeout node:internal/timers:517:25", .library
      ),
      ("py::handle:/srv/app.py", "handle app.py", .program),
      (
        "py::_run_once:/usr/lib/python3.12/asyncio/base_events.py", "_run_once base_events.py",
        .loop
      ),
      ("void shop.Cart.load(int, java.lang.String)", "shop.Cart.load", .program),
      ("int java.lang.Enum.ordinal()", "java.lang.Enum.ordinal", .library),
    ] as [(String, String, StackFrame.Role)]
  )
  func frames(name: String, text: String, role: StackFrame.Role) {
    let frame = StackFrame(perfMapName: name)
    #expect(frame?.description == text && frame?.role == role)
  }

  @Test("a stub of the compiler is no frame")
  func stub() { #expect(StackFrame(perfMapName: "Builtin:InterpreterEntryTrampoline") == nil) }
}

@Suite("Culprit")
struct CulpritTests {
  private let loop = StackFrame("uv_run", role: .loop)
  private let timers = StackFrame("uv__run_timers", role: .loop)
  private let main = StackFrame("main", role: .program)

  private func own(_ name: String) -> StackFrame { StackFrame(name, role: .program) }

  @Test("the path leads from the hot function to the callback, without the loop's caller")
  func path() {
    let libc = StackFrame("memcpy", role: .library)
    let stack = [libc, own("hot"), own("callback"), timers, loop, main]
    #expect(Culprit(of: [stack])?.description == "hot < callback")
  }

  @Test("a loop that is nested in a callback is part of the callback")
  func nestedLoop() {
    let stack = [loop, own("spawn"), own("callback"), timers, loop, main]
    #expect(Culprit(of: [stack])?.description == "spawn < callback")
  }

  @Test("captures of one callback share their outer functions")
  func sharedPath() {
    let one = [own("a"), own("work"), own("callback"), loop]
    let other = [own("b"), own("work"), own("callback"), loop]
    #expect(Culprit(of: [one, other])?.description == "work < callback")
  }

  @Test("a capture with missing functions does not hide the functions of others")
  func missingFunctions() {
    let whole = [own("hot"), own("callback"), loop], short = [own("callback"), loop]
    #expect(Culprit(of: [whole, short, whole])?.description == "hot < callback")
  }

  @Test("the callback of most captures is blamed")
  func mostFrequent() {
    let one = [own("one"), loop], other = [own("other"), loop]
    #expect(Culprit(of: [one, other, other])?.description == "other")
  }

  @Test("a long path shows its ends")
  func longPath() {
    let stack = ["a", "b", "c", "d"].map { own($0) } + [loop]
    #expect(Culprit(of: [stack])?.description == "a < b < … < d")
  }

  @Test("a recursion is folded, and its depth does not tell groups apart")
  func recursion() {
    let stack = ["a", "b", "b", "b", "b", "c"].map { own($0) } + [loop]
    let culprit = Culprit(of: [stack])
    #expect(culprit?.description == "a < b ×4 < c" && culprit?.group == "a < b < c")
  }

  @Test("a callback without functions of the program is named by its library function")
  func libraryOnly() {
    let stack = [StackFrame("free", role: .library), StackFrame("cleanup", role: .library), loop]
    #expect(Culprit(of: [stack])?.description == "cleanup")
    let start = StackFrame("_start", role: .library)
    #expect(Culprit(of: [[stack[0], start]]) == nil)
  }

  @Test("without a known loop, the start of the program is left out if it called another")
  func start() {
    let module = StackFrame("<module>", place: "app.py", role: .program)
    #expect(Culprit(of: [[own("hot"), own("serve"), main]])?.description == "hot < serve")
    #expect(Culprit(of: [[own("hot"), module]])?.description == "hot")
    #expect(Culprit(of: [[main]])?.description == "main")
    #expect(Culprit(of: [[own("main"), main]])?.description == "main")
    #expect(Culprit(of: [[own("hot"), main, loop]])?.description == "hot < main")
    let thread = StackFrame("start_thread", place: "libc.so.6", role: .library)
    #expect(Culprit(of: [[own("hot"), own("serve"), thread]])?.description == "hot")
    #expect(Culprit(of: [[own("serve"), thread]])?.description == "serve")
  }

  @Test("without a known loop, a long path shows one function more of its outer end")
  func longPathWithoutLoop() {
    let stack = ["a", "b", "c", "d", "e"].map { own($0) }
    #expect(Culprit(of: [stack + [main]])?.description == "a < b < … < d < e")
    #expect(Culprit(of: [stack.dropLast() + [main]])?.description == "a < b < c < d")
  }

  @Test("functions of a file without symbols are no recursion")
  func nameless() {
    let nameless = StackFrame("server", role: .program, isNamed: false)
    let stack = [nameless, nameless, own("hash"), nameless, nameless, nameless]
    #expect(Culprit(of: [stack])?.description == "server < hash < server")
  }

  @Test("garbage collection is named")
  func collection() {
    let stack = [StackFrame("Heap::CollectGarbage", role: .collector), own("f"), loop]
    #expect(Culprit(of: [stack])?.description == "garbage collection in f")
  }

  @Test("without a stack there is no culprit")
  func none() { #expect(Culprit(of: []) == nil) }
}

@Suite("NameHint")
struct NameHintTests {
  private func library(_ name: String, place: String? = nil) -> StackFrame {
    StackFrame(name, place: place, role: .library)
  }

  @Test("most stacks without names have a hint, of the language or the file")
  func hints() {
    let named = [StackFrame("f", role: .program)]
    let stripped = [StackFrame("server", role: .program, isNamed: false)]
    let java = [library("Unsafe_Park"), library("JavaCalls::call_helper", place: "libjvm.so")]
    #expect(NameHint([stripped, stripped, named]) == .noSymbols("server"))
    #expect(NameHint([stripped, named]) == nil && NameHint([]) == nil)
    #expect(NameHint([java]) == .java)
    #expect(NameHint([[library("_PyEval_EvalFrameDefault")]]) == .python)
    #expect(NameHint([[library("Builtins_JSEntry")]]) == .javaScript)
    #expect(NameHint([[library("Perl_runops_standard")]]) == .interpreter("Perl"))
    #expect(NameHint([[library("read")]]) == nil)
  }

  @Test("functions of a language's own library have names")
  func ownLibrary() {
    let python = [library("run", place: "runners.py"), library("_PyEval_EvalFrameDefault")]
    let node = [library("emit", place: "node:events:9:1"), library("Builtins_JSEntry")]
    #expect(NameHint([python]) == nil && NameHint([node]) == nil)
  }
}

@Suite("FrameRoles")
struct FrameRolesTests {
  @Test("a helper thread at a condition variable waits for work, and a main thread is late")
  func helpers() {
    let own = StackFrame("work", role: .program)
    let stack = [StackFrame("pthread_cond_timedwait", place: "libc.so.6", role: .library), own]
    #expect(FrameRoles.isParked(stack, isHelper: true) && !FrameRoles.isParked(stack))
    #expect(!FrameRoles.isParked([own] + stack, isHelper: true))
  }

  @Test("parameters are removed from the names of functions")
  func parameters() {
    let names = [
      "a::(anonymous namespace)::f(int, g(char)) const": "a::(anonymous namespace)::f",
      "f": "f", "f()": "f", "(anonymous)": "(anonymous)", "operator)": "operator)",
    ]
    for (name, short) in names { #expect(FrameRoles.withoutParameters(name) == short) }
  }

  @Test("the name of a template has no result and no long arguments")
  func templates() {
    let long = "record<boost::context::fiber, main::{lambda(int const&)#1}::operator()>"
    let names = [
      "void boost::entry<\(long)>": "boost::entry<…>",
      "a::(anonymous namespace)::f<\(long)>::g": "a::(anonymous namespace)::f<…>::g",
      "std::vector<int>* a::f<int, a>": "a::f<int, a>",
      "std::vector<int>::push_back": "std::vector<int>::push_back",
      "int f": "int f", "operator<<\(long)": "operator<<\(long)",
    ]
    for (name, short) in names { #expect(FrameRoles.withoutTypes(name) == short) }
  }

  @Test(
    "a function has the role of its module or name",
    arguments: [
      ("uv__io_poll", "/usr/bin/node", StackFrame.Role.loop),
      ("node::Environment::RunTimers", "/usr/bin/node", .library),
      ("v8::internal::Heap::CollectGarbage", "/usr/bin/node", .collector),
      ("asio::detail::scheduler::run", "/srv/bin/server", .loop),
      ("boost::asio::detail::wait_handler<…>::do_complete", "/srv/bin/server", .library),
      ("keysCommand", "/usr/bin/redis-server", .program),
      ("aeProcessEvents", "/usr/bin/redis-server", .loop),
      ("read", "/usr/lib/x86_64-linux-gnu/libc.so.6", .library),
      ("g_main_context_iteration", "/usr/lib/x86_64-linux-gnu/libglib-2.0.so.0", .loop),
      ("parse", "/srv/lib/libparser.so", .program),
      ("LoopTransactions.EventLoop.run", "/srv/bin/server", .loop),
      ("closure #1 in LoopTransactions.LoopTimer.fire", "/srv/bin/server", .loop),
      ("closure #2 in server.handle", "/srv/bin/server", .program),
      ("Foundation.NSLocking.withLock", "/srv/bin/server", .library),
      ("reabstraction thunk helper from @escaping () to @escaping", "/srv/bin/server", .library),
    ] as [(String, String, StackFrame.Role)]
  )
  func role(symbol: String, module: String, role: StackFrame.Role) {
    let isProgram = module.contains("/bin/")
    #expect(FrameRoles.role(symbol: symbol, module: module, isProgram: isProgram) == role)
  }
}

@Suite("RustSymbol")
struct RustSymbolTests {
  @Test(
    "a symbol has a path without type parameters",
    arguments: [
      ("_RNvNtNtCsjrHSEGnQ3l9_3std6thread9functions5sleep", "std::thread::functions::sleep"),
      (
        "_RINvMNtCsgEmfK2I1SDS_4core3stre18trim_start_matchesReECsgY6Mt91CT9J_14rustc_demangle",
        "str::trim_start_matches"
      ),
      ("_RNvXs_NtCs1_3std2ioNtB4_4FileNtB4_4Read4read", "std::io::File::read"),
      ("_RNCNvCs1_3app4mains_0B3_", "app::main::{closure}"),
    ] as [(String, String)]
  )
  func path(symbol: String, path: String) { #expect(RustSymbol.path(of: symbol) == path) }

  @Test(
    "a symbol that is damaged or refers to itself has no path",
    arguments: ["_RB_", "_RN", "_RNvC9x", "main"]
  )
  func damaged(symbol: String) { #expect(RustSymbol.path(of: symbol) == nil) }

  @Test("the escapes of the older mangling are replaced")
  func unescaped() {
    let closure = RustSymbol.unescaped("app::plant::_$u7b$$u7b$closure$u7d$$u7d$")
    #expect(closure == "app::plant::{{closure}}")
    #expect(RustSymbol.unescaped("_$LT$a..B$u20$as$u20$C$GT$::f") == "_<a::B as C>::f")
    #expect(RustSymbol.unescaped("printf(...)") == "printf(...)")
  }
}

@Suite("SwiftSymbol")
struct SwiftSymbolTests {
  @Test(
    "a demangled symbol has a name without types",
    arguments: [
      ("Store.Cart.load(Swift.Int) throws -> Swift.String", "Store.Cart.load"),
      ("LoopWatch.Watcher.(readUsers in _92C2)(Swift.UInt64) -> ()", "LoopWatch.Watcher.readUsers"),
      ("LoopWatch.Watcher.neighbours.getter : Swift.String", "LoopWatch.Watcher.neighbours.getter"),
      (
        "closure #6 (Loop.Timer.Firing) -> () in Watch.Program.(run in _1A)() throws -> Int",
        "closure #6 in Watch.Program.run"
      ),
      (
        "partial apply forwarder for closure #1 (Swift.Int) -> () in static App.main() -> ()",
        "closure #1 in App.main"
      ),
      (
        "generic specialization <Swift.Substring> of (extension in Swift):Swift.Collection< "
          + "where A.Element: Swift.Equatable>.split(separator: A.Element) -> [A]",
        "Swift.Collection.split"
      ),
      (
        "function signature specialization <Arg[0] = Exploded> of generic specialization "
          + "<(A) -> B> of A.f<B>(B) -> ()", "A.f"
      ),
      ("(1) await resume partial function for static App.serve(Int) async -> ()", "App.serve"),
      ("type metadata accessor for App.Cart", "type metadata accessor for App.Cart"),
      ("main", "main"),
    ] as [(String, String)]
  )
  func simplified(name: String, expected: String) {
    #expect(SwiftSymbol.simplified(name) == expected)
  }
}
