internal import CLoopWatch
import Glibc
import LoopbenchKit

extension Watcher {
  /// The summary, with notes about the watch itself.
  package var report: String {
    var text = summary.text(width: Terminal.error.knownWidth ?? .max)
    if !hasEverFoundLoop, summary.possibleHold == nil {
      text = "no loop was found: \(isSampled ? Self.noWaits : Self.noCalls)\n"
    }
    if let sampler {
      text += "note: sampled every \(TimeText.duration(period)); \(sampler.limits)\n"
    }
    text += childrenNote
    for problem in [stackError, workProblem].compactMap(\.self) { text += "note: \(problem)\n" }
    return text + cost
  }

  private static let noWaits = "no thread was seen to wait with epoll, poll or select"
  private static let noCalls = "no thread waited with epoll, poll or select through the C library"

  private var childrenNote: String {
    if let left = leftProcess {
      return "note: the program ended and left process \(left): start it in the foreground, or"
        + " watch it by --pid \(left)\n"
    } else if others.count > 0, !isFollowing {
      return
        "note: \(others.count) of its children waited for events, too; watch them by --follow\n"
    } else if !hasEverFoundLoop, !isSampled {
      return "note: watch a program that is linked statically, or that makes system calls itself,"
        + " as Go does, by --pid\n"
    }
    return ""
  }

  /// `cost: 0.8 % of a CPU; 41 stops of 19 us, longest 48 us`.
  private var cost: String {
    let share = Double(ownTime) / Double(max(summary.length, 1)) * 100
    let stops = self.stops
    let text = "cost: \(Decimals.text(share, digits: 1)) % of a CPU"
    guard stops.count > 0 else { return text + "\n" }
    let mean = TimeText.duration(stops.total / UInt64(stops.count))
    guard stops.count > 1 else { return text + "; 1 stop of \(mean)\n" }
    return text + "; \(stops.count.grouped) stops of \(mean), longest "
      + "\(TimeText.duration(stops.longest))\n"
  }

  /// A child that waited for events and still runs, if the program that was started has
  /// ended.
  private var leftProcess: Int32? {
    guard !isSampled, ProcessFile.hasEnded(process) else { return nil }
    return others.filter { !ProcessFile.hasEnded($0) }.min()
  }

  private var hasEverFoundLoop: Bool { summary.ticks > 0 || hasLoop }

  /// Everything that the output files are made of.
  ///
  /// - Parameters:
  ///   - program: The program and its arguments.
  ///   - span: The age of the oldest late hold, in ns.
  package func result(program: String, last span: UInt64 = .max) -> WatchResult {
    let now = lw_now()
    let recent = holds.filter { now.since($0.hold.ended) <= span }
    var result = WatchResult(summary: summary, holds: recent)
    (result.program, result.process) = (program, process)
    (result.began, result.isSampled) = (began, isSampled)
    findBusiest()
    (result.load.thread, result.load.ticks) = busiest
    result.timeOrigin = lw_real_time() - now
    return result
  }
}

extension WaitSampler {
  /// The limits of the samples, in words.
  fileprivate var limits: String {
    guard probeError != 0 else { return "shorter ticks are not counted" }
    let reason = "a loop that is busy for long looks late, because breakpoints "
    return switch probeError {
    case EACCES, EPERM:
      reason + "are not permitted: run as root, or run sysctl kernel.perf_event_paranoid=2"
    default: reason + "are not available here: error \(probeError)"
    }
  }
}

extension LateHold {
  /// One line about the hold, for `--each`.
  package var line: String {
    let main = parts.main
    let rest = Cause.allCases.filter { $0 != main && parts[$0] * 10 >= hold.length }
      .map { "\($0.rawValue) \(TimeText.duration(parts[$0]))" }
    let others = rest.isEmpty ? "" : " (" + rest.joined(separator: ", ") + ")"
    let words = [main.rawValue, description(of: main)].filter { !$0.isEmpty }
    let text = words.joined(separator: "  ") + others
    return "late \(TimeText.duration(hold.length))  \(text.printable)\n"
  }
}
