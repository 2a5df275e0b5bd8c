/// What runs beside a measurement, to see what it does to it.
public enum BackgroundLoad: Equatable, Sendable {
  /// Nothing.
  case none
  /// So many processes that compute.
  case cpu(Int)
  /// So many processes that write memory, 64 MB over and over.
  case memory(Int)
  /// A command of the shell.
  case command(String)

  /// How many processes there may be.
  public static let counts = 1...64

  /// Reads `none`, `cpu:2`, `mem:1` or `cmd:make -j2`; `nil` for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let value = parts.count > 1 ? String(parts[1]) : ""
    let count = Int(value).flatMap { Self.counts.contains($0) ? $0 : nil }
    switch (parts[0], count) {
    case ("none", _) where parts.count == 1: self = .none
    case ("cpu", let count?): self = .cpu(count)
    case ("mem", let count?): self = .memory(count)
    case ("cmd", _) where !value.isEmpty: self = .command(value)
    default: return nil
    }
  }

  /// As it is written.
  public var text: String {
    switch self {
    case .none: "none"
    case .cpu(let count): "cpu:\(count)"
    case .memory(let count): "mem:\(count)"
    case .command(let command): "cmd:\(command)"
    }
  }

  /// The commands of the shell that make it.
  package var commands: [String] {
    switch self {
    case .none: []
    case .cpu(let count): Array(repeating: "while :; do :; done", count: count)
    case .memory(let count): Array(repeating: Self.memoryCommand, count: count)
    case .command(let command): [command]
    }
  }

  private static let memoryCommand =
    "while :; do dd if=/dev/zero of=/dev/null bs=64M count=16; done"
}
