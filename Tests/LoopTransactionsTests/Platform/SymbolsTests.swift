import TestSupport
import Testing

@testable import LoopTransactions

#if canImport(Glibc)
  import Glibc
#endif

@Suite("Symbols")
struct SymbolsTests {
  @Test("each address has the lines of its frame and of inlined functions")  // X4
  func parsing() {
    let text = """
      $s1a1byyF
      /src/App/Work.swift:12:5
      main
      /src/App/main.swift:3:1

      ??
      ??:0:0

      start
      ??:0:0


      """
    #expect(
      Symbols.parse(text) == [
        ["a.b() -> () at Work.swift:12", "main at main.swift:3"], [], ["start"],
      ]
    )
    #expect(Symbols.parse("") == [])
  }

  @Test("a name of Swift is demangled, and another one is kept")
  func demangling() {
    #expect(Symbols.demangled("$s1a1byyF") == "a.b() -> ()")
    #expect(Symbols.demangled("read") == "read")
  }

  @Test("an address is found in its module")  // X4
  func places() throws {
    let place = Symbols.place(of: functionAddress)
    #expect(place.file.contains("libc.so"))
    #expect(place.symbol.hasSuffix("getpid"))
    #expect(place.offset < functionAddress)
    #expect(Symbols.place(of: 1).file.isEmpty)
    #expect(Symbols.lines(for: [1]) == ["0x1"])
  }

  @Test("without a helper, lines have the exported name and the offset in the module")  // X4
  func withoutHelper() {
    let place = Symbols.Place(file: "/lib/libc.so.6", offset: 0x123, symbol: "$s1a1byyF")
    #expect(Symbols.describe(place) == "a.b() -> () in libc.so.6 + 0x123")
    let unknown = Symbols.Place(file: "/lib/libc.so.6", offset: 0x123)
    #expect(Symbols.describe(unknown) == "libc.so.6 + 0x123")
  }

  @Test("a helper that fails, or that does not exist, has no output")  // X4
  func helpers() {
    #expect(System.output(of: ["echo", "a b", "c"]) == "a b c\n")
    #expect(System.output(of: ["sh", "-c", "echo a; exit 1"]) == nil)
    #expect(System.output(of: ["looptransactions-no-such-program"]) == nil)
    #expect(System.output(of: ["head", "-c", "2000000", "/dev/zero"]) == nil)
  }

  /// The address of a function of the C library.
  private var functionAddress: UInt {
    UInt(bitPattern: dlsym(nil, "getpid")) + 1
  }
}
