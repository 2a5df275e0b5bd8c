import Foundation
import Testing

/// Values whose reflection a test checks, keyed by the names of their types.
///
/// Test targets of several packages share this file through symbolic links.
struct Samples {
  private(set) var values: [String: Any] = [:]

  mutating func add<Value>(_ name: String, _ value: Value) { values[name] = value }

  /// Dumps each value, alone and in a structure, as a failed expectation does.
  ///
  /// Writes each name to standard error before the dump. If the process ends,
  /// the last name identifies the value that caused it.
  func dumpAll() {
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      FileHandle.standardError.write(Data("\(name)\n".utf8))
      for each in [value, Holder(value: value)] as [Any] {
        var text = ""
        dump(each, to: &text)
        #expect(!text.isEmpty)
        #expect(!String(describing: each).isEmpty)
        #expect(!String(reflecting: each).isEmpty)
        // A property may be an empty string.
        for child in Mirror(reflecting: each).children { _ = "\(child.value)" }
      }
    }
  }
}

private struct Holder {
  let value: Any
}
