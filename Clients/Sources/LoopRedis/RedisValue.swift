import CHiredis

/// A value that a Redis server sends.
public enum RedisValue: Equatable, Sendable {
  case null
  case integer(Int)
  case text(String)
  case list([RedisValue])
  case error(String)

  /// The text, or nil if the value is not text.
  public var text: String? { if case .text(let text) = self { text } else { nil } }

  /// The values of a list, or an empty list if the value is not one.
  public var list: [RedisValue] { if case .list(let values) = self { values } else { [] } }
}

extension RedisValue {
  /// Copies a reply.
  init(_ reply: redisReply) {
    switch reply.type {
    case REDIS_REPLY_INTEGER: self = .integer(Int(reply.integer))
    case REDIS_REPLY_ARRAY:
      self = .list(
        (0..<reply.elements).map { index in
          reply.element[index].map { RedisValue($0.pointee) } ?? .null
        }
      )
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .text(Self.string(reply))
    case REDIS_REPLY_ERROR: self = .error(Self.string(reply))
    default: self = .null
    }
  }

  private static func string(_ reply: redisReply) -> String {
    let bytes = UnsafeRawBufferPointer(start: reply.str, count: Int(reply.len))
    return String(decoding: bytes, as: UTF8.self)
  }
}
