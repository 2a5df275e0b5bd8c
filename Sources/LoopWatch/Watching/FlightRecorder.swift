import LoopTransactions
import LoopbenchKit

/// Decides when a watch that goes on writes its files: when a late hold, or the late holds
/// of the last `span` together, exceed a limit. Recordings are at least `span` apart, so
/// that no hold is in two of them.
package struct FlightRecorder: Sendable {
  /// The files have the late holds of this time, in ns.
  package let span: UInt64
  /// The number of recordings.
  package private(set) var count = 0

  private let rules: [LateRule]
  private var recent: ArraySlice<Hold> = []
  private var total: UInt64 = 0
  /// The limit that was exceeded since the last recording.
  private var exceeded: LateRule?
  private var recordedAt: UInt64?

  package init(span: UInt64, rules: [LateRule]) { (self.span, self.rules) = (span, rules) }

  /// Adds a late hold when it has ended.
  package mutating func add(_ hold: Hold) {
    recent.append(hold)
    total += hold.length
    while let first = recent.first, hold.ended.since(first.ended) > span {
      recent.removeFirst()
      total -= first.length
    }
    exceeded =
      exceeded
      ?? rules.first { rule in
        switch rule.metric {
        case .late: total > rule.limit
        case .length(.max): hold.length > rule.limit
        // A percentile is of the whole watch.
        case .length: false
        }
      }
  }

  /// Begins a recording. Returns the limit that was exceeded and the time of the holds to
  /// record; nil if no recording is due.
  ///
  /// - Parameter isLast: Whether the watch ends, so that the recording cannot wait.
  package mutating func begin(at now: UInt64, isLast: Bool = false) -> Recording? {
    guard let rule = exceeded else { return nil }
    let age = recordedAt.map { now.since($0) } ?? .max
    guard age >= span || isLast else { return nil }
    (exceeded, recordedAt) = (nil, now)
    count += 1
    return Recording(rule: rule, span: min(age, span))
  }

  package struct Recording {
    package let rule: LateRule
    /// The age of the oldest hold to record, in ns.
    package let span: UInt64
  }
}

extension LateRule {
  /// True if the rule limits holds of any time, and not of the whole watch.
  package var limitsHolds: Bool {
    switch metric {
    case .late, .length(.max): true
    case .length: false
    }
  }
}

/// The files of a watch.
///
/// Loop only.
final class WatchFiles {
  private let outputs: [(output: WatchOutput, path: String)]
  /// The files of the first writing.
  private var files: [OutputFile]
  private var writings = 0
  private var recording: AsyncTransaction?
  /// The first error of a recording.
  private var failure: LoopbenchError?

  /// Opens the files, so that a wrong path is known before the watch.
  init(_ outputs: [(output: WatchOutput, path: String)]) throws(LoopbenchError) {
    self.outputs = outputs
    files = []
    for (_, path) in outputs { files.append(try Self.open(path)) }
  }

  private static func open(_ path: String) throws(LoopbenchError) -> OutputFile {
    do { return try OutputFile(path: path) } catch { throw .unwritable(path, error) }
  }

  /// Writes the files while the watch goes on. The texts are made on a worker, because
  /// that may take longer than the memory of the waits lasts.
  ///
  /// - Parameter whenWritten: Receives the paths, or the error.
  func record(
    _ result: WatchResult,
    on loop: EventLoop,
    whenWritten: @escaping (Result<[String], LoopbenchError>) -> Void
  ) {
    let outputs = outputs.map(\.output)
    let transaction = AsyncTransaction(on: loop, name: "recording")
    transaction.add("files", { _ in outputs.map { $0.text(of: result) } }) { outcome in
      self.recording = nil
      guard case .value(let texts) = outcome else { return }
      let written = Result { () throws(LoopbenchError) in try self.write(texts) }
      if case .failure(let error) = written { self.failure = self.failure ?? error }
      whenWritten(written)
    }
    transaction.commit()
    recording = transaction
  }

  var isRecording: Bool { recording != nil }

  /// Waits for a recording that has not ended.
  ///
  /// - Throws: The first error of a recording.
  func finish() throws(LoopbenchError) {
    recording?.waitUntilComplete()
    if let failure { throw failure }
  }

  /// Removes the files that were not written.
  func discard() { files = [] }

  func write(_ result: WatchResult) throws(LoopbenchError) {
    try write(outputs.map { $0.output.text(of: result) })
  }

  /// Writes each file, also after an error, and returns the paths.
  @discardableResult
  private func write(_ texts: [String]) throws(LoopbenchError) -> [String] {
    writings += 1
    let paths = outputs.map { $0.path.numbered(writings) }
    var failure: LoopbenchError?
    for (index, path) in paths.enumerated() {
      do throws(LoopbenchError) {
        let file = writings == 1 ? files[index] : try Self.open(path)
        do { try file.finish(with: texts[index]) } catch { throw .unwritable(path, error) }
      } catch {
        failure = failure ?? error
      }
    }
    files = []
    if let failure { throw failure }
    return paths
  }
}

extension String {
  /// The path of a file in a series: `late.html`, `late-2.html`, `late-3.html`.
  package func numbered(_ number: Int) -> String {
    guard number > 1 else { return self }
    let name = self[(lastIndex(of: "/").map { index(after: $0) } ?? startIndex)...]
    let point = name.dropFirst().lastIndex(of: ".") ?? endIndex
    return self[..<point] + "-\(number)" + self[point...]
  }
}
