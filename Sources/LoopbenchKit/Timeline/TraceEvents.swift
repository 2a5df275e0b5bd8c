package import FoundationEssentials

/// A file in the JSON trace event format of Chrome, which `LoopTrace` and
/// `loopbench trace` write.
package struct TraceEvents: Decodable {
  let events: [Event]
  let overwritten: Int
  let lacksThreads: Bool

  private enum Key: String, CodingKey { case traceEvents, otherData }
  private enum OtherKey: String, CodingKey { case overwrittenEvents, lacksThreads }

  package init(from decoder: any Decoder) throws {
    let file = try decoder.container(keyedBy: Key.self)
    events = try file.decode([Event].self, forKey: .traceEvents)
    // try?: files of other programs have other data.
    let other = try? file.nestedContainer(keyedBy: OtherKey.self, forKey: .otherData)
    overwritten = (try? other?.decodeIfPresent(Int.self, forKey: .overwrittenEvents)) ?? 0
    lacksThreads = (try? other?.decodeIfPresent(Bool.self, forKey: .lacksThreads)) ?? false
  }

  /// The kinds of events that are drawn.
  enum Phase: String {
    case begin = "B"
    case end = "E"
    case complete = "X"
    case instant = "i"
    case metadata = "M"
    case counter = "C"
    case arrowStart = "s"
    case arrowStep = "t"
    case arrowEnd = "f"
  }

  struct Event: Decodable {
    /// Nil for events of other kinds.
    let phase: Phase?
    let name: String
    let category: String
    let process: Int
    let thread: Int
    /// In ns.
    let time: Int
    /// In ns.
    let duration: Int
    /// The identity of an arrow, or a part of the identity of a counter.
    let id: String
    /// The name of a process or a thread.
    let label: String?
    let values: [String: Double]

    private enum Key: String, CodingKey { case ph, name, cat, pid, tid, ts, dur, id, args }

    private struct Name: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let event = try decoder.container(keyedBy: Key.self)
      phase = Phase(rawValue: try event.decode(String.self, forKey: .ph))
      name = try event.decodeIfPresent(String.self, forKey: .name) ?? ""
      category = try event.decodeIfPresent(String.self, forKey: .cat) ?? ""
      process = try event.decodeIfPresent(Int.self, forKey: .pid) ?? 0
      thread = try event.decodeIfPresent(Int.self, forKey: .tid) ?? 0
      time = try Self.nanoseconds(.ts, in: event)
      duration = try Self.nanoseconds(.dur, in: event)
      id = try Self.id(in: event, of: phase)
      (label, values) = try Self.arguments(in: event, of: phase)
    }

    private static func nanoseconds(
      _ key: Key,
      in event: KeyedDecodingContainer<Key>
    ) throws -> Int {
      let time = (try event.decodeIfPresent(Double.self, forKey: key) ?? 0) * 1000
      // 2^52: the page computes with doubles. That is 52 days.
      guard time.magnitude < 0x1p52, key == .ts || time >= 0 else {
        throw DecodingError.dataCorruptedError(
          forKey: key,
          in: event,
          debugDescription: "not a time: \(time)"
        )
      }
      return Int(time.rounded())
    }

    private static func id(
      in event: KeyedDecodingContainer<Key>,
      of phase: Phase?
    ) throws -> String {
      guard [.arrowStart, .arrowStep, .arrowEnd, .counter].contains(phase) else { return "" }
      // try?: the format allows numbers and strings.
      if let number = try? event.decodeIfPresent(Int.self, forKey: .id) { return String(number) }
      return try event.decodeIfPresent(String.self, forKey: .id) ?? ""
    }

    private static func arguments(
      in event: KeyedDecodingContainer<Key>,
      of phase: Phase?
    ) throws -> (label: String?, values: [String: Double]) {
      guard phase == .metadata || phase == .counter, event.contains(.args) else {
        return (nil, [:])
      }
      let arguments = try event.nestedContainer(keyedBy: Name.self, forKey: .args)
      // try?: other arguments may be of any type, and are not drawn.
      let label = try? arguments.decode(String.self, forKey: Name(stringValue: "name"))
      guard phase == .counter else { return (label, [:]) }
      var values: [String: Double] = [:]
      for key in arguments.allKeys {
        // try?: the same.
        values[key.stringValue] = try? arguments.decode(Double.self, forKey: key)
      }
      return (nil, values)
    }
  }
}

extension Timeline {
  // 256 MB: about 2 million events. Not measured.
  private static let limit = 256 << 20

  private static let advice =
    "name a file that LoopTrace, LOOPTRANSACTIONS_TRACE or loopbench trace wrote"

  /// Reads the trace at `path`, or from standard input if `path` is `-`.
  ///
  /// - Throws: `LoopbenchError` that states the problem and how to fix it.
  package static func read(_ path: String) throws(LoopbenchError) -> Timeline {
    let data: Data
    do { data = try InputFile.read(path, limit: limit) } catch {
      throw .failed(
        error == .tooLarge
          ? "\(path) is larger than \(limit >> 20) MB, the limit for a trace; open it at"
            + " ui.perfetto.dev, or record with fewer eventsPerThread"
          : "\(path) cannot be read: \(error); \(advice)"
      )
    }
    return try Timeline(data, from: path)
  }

  /// Decodes the trace in `data`, which was read from `path`.
  package init(_ data: Data, from path: String) throws(LoopbenchError) {
    let file: TraceEvents
    do {
      file = try JSONDecoder().decode(TraceEvents.self, from: data)
    } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
      throw .failed(
        data.first == UInt8(ascii: "{")
          ? "\(path) is not complete JSON; record the trace again, and let the program exit"
          : "\(path) is not JSON; \(Self.advice)"
      )
    } catch {
      throw .failed("\(path) is JSON, but not a trace; \(Self.advice)")
    }
    self = TimelineBuilder.timeline(of: file)
    guard !isEmpty else {
      throw .failed(
        "\(path) has no events; record while a loop runs: it takes part from its next tick"
      )
    }
  }
}
