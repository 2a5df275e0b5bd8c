import RespProtocol
import Testing

@Suite("RequestParser")
struct RequestParserTests {
  private func parse(_ text: String) -> (RequestParser.Outcome, [String]) {
    var parser = RequestParser()
    let bytes = Array(text.utf8)
    let outcome = bytes.withUnsafeBytes { parser.parse($0) }
    return (outcome, parser.arguments.map { String(decoding: bytes[$0], as: UTF8.self) })
  }

  @Test("arrays of bulk strings and inline commands are requests")
  func requests() {
    var (outcome, words) = parse("*2\r\n$3\r\nGET\r\n$5\r\na\r\nbc\r\nrest")
    #expect(outcome == .request(length: 24) && words == ["GET", "a\r\nbc"])
    (outcome, words) = parse("  SET a  b\r\nrest")
    #expect(outcome == .request(length: 12) && words == ["SET", "a", "b"])
    (outcome, words) = parse("*0\r\n")
    #expect(outcome == .request(length: 4) && words.isEmpty)
    (outcome, words) = parse("*2\r\n$0\r\n\r\n$1\r\nx\r\n")
    #expect(outcome == .request(length: 17) && words == ["", "x"])
    (outcome, words) = parse("*00000000000000000001\r\n$00000000000000000001\r\nx\r\n")
    #expect(outcome == .request(length: 49) && words == ["x"])
  }

  @Test("every proper prefix of a request is incomplete")
  func prefixes() {
    let whole = "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$12\r\nhello, world\r\n"
    for length in 0..<whole.utf8.count {
      // Takes a prefix of the bytes, because "\r\n" is a single Character.
      let prefix = String(decoding: whole.utf8.prefix(length), as: UTF8.self)
      #expect(parse(prefix).0 == .incomplete, "\(length)")
    }
    #expect(parse(whole).0 == .request(length: whole.utf8.count))
  }

  @Test(
    "bytes that are not the start of a valid request are a protocol error",
    arguments: [
      "*x\r\n", "*1\r\nGET\r\n", "*1\r\n$-1\r\n", "*1\r\n$x\r\n", "*99999999\r\n",
      "*1\r\n$99999999\r\n",
      "*1\r\n$1\r\nabc", "*\r\n", "*1\rx", "*9223372036854775808\r\n",
      // The parser reports the error without waiting for the end of the line.
      "*000000000000000000000", "*1\r\n$000000000000000000000", "*-000000000000000000000",
      String(repeating: "a", count: 70_000),
    ]
  )
  func protocolErrors(_ text: String) {
    guard case .protocolError = parse(text).0 else {
      Issue.record("\(parse(text).0)")
      return
    }
  }

  @Test("a million random inputs are parsed within their bounds")
  func fuzz() {
    var (random, input, requests) = (RandomInput(seed: 3), [UInt8](), 0)
    var (parser, other) = (RequestParser(), RequestParser())
    for _ in 0..<1_000_000 {
      input.removeAll(keepingCapacity: true)
      random.append(to: &input)
      input.withUnsafeBytes { bytes in
        let outcome = parser.parse(bytes)
        // A prefix either has the same outcome or is incomplete.
        let prefix = UnsafeRawBufferPointer(rebasing: bytes[..<random.next(bytes.count)])
        let early = other.parse(prefix)
        if early != .incomplete, early != outcome { Issue.record("\(input), \(prefix.count)") }
        guard case .request(let length) = outcome else { return }
        requests += 1
        let isWithin = parser.arguments.allSatisfy { 0 <= $0.lowerBound && $0.upperBound <= length }
        if length < 1 || length > bytes.count || !isWithin { Issue.record("\(input)") }
        if early == outcome, other.arguments != parser.arguments { Issue.record("\(input)") }
      }
    }
    #expect(requests > 10_000)
  }
}
