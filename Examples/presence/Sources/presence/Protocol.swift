/// The number of a user: the number of its team, and its place there.
struct User: Hashable, Sendable {
  static let teamLimit = 1000

  let number: Int

  var team: Int { number / Self.teamLimit }
  var place: Int { number % Self.teamLimit }
}

/// The state of a user, as the number of its changes. A greater number is newer.
typealias Version = Int

/// The newest versions of users.
typealias Versions = [User: Version]

/// Divides bytes into lines of numbers: of a user, and of its version.
struct NumberLines {
  private var numbers = (0, 0)
  private var count = 0

  /// Calls `body` with each complete line. A line that has one number ends with a 0.
  mutating func append(_ bytes: RawSpan, _ body: (Int, Int) -> Void) {
    bytes.withUnsafeBytes { bytes in
      for byte in bytes {
        switch byte {
        case 10:
          body(numbers.0, numbers.1)
          (numbers, count) = ((0, 0), 0)
        case 32: count += 1
        default:
          let digit = Int(byte &- 48)
          // Wrapping: input of a client must not trap.
          if count == 0 { numbers.0 = numbers.0 &* 10 &+ digit }
          if count == 1 { numbers.1 = numbers.1 &* 10 &+ digit }
        }
      }
    }
  }
}

extension [UInt8] {
  /// Appends a line with two numbers.
  mutating func appendLine(_ user: User, _ version: Version) {
    appendDigits(of: user.number)
    append(32)
    appendDigits(of: version)
    append(10)
  }

  private mutating func appendDigits(of number: Int) {
    let start = count
    var rest = number
    repeat {
      append(UInt8(48 + rest % 10))
      rest /= 10
    } while rest > 0
    self[start...].reverse()
  }
}
