import AsyncDisplay
package import CardFeed
package import LoopTransactions

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Prints each frame that was late by a whole frame, and the reason.
package enum LateFrames {
  /// Returns a handler for the clock of a feed that draws on `stage()`.
  package static func handler(_ stage: @escaping () -> FeedStage) -> (FrameReport) -> Void {
    { frame in
      let reports = stage().displays.map { display in
        // Set here, because another variant has other displays.
        display.measuresDrawing = true
        return display.report(on: frame)
      }
      // A variant may have several displays. The slowest one explains most.
      let slowest = reports.max { $0.slowestTime < $1.slowestTime }
      guard frame.frame.missed > 0, let slowest else { return }
      print(slowest)
      fflush(nil)
    }
  }
}

extension DisplayFrameReport {
  fileprivate var slowestTime: Duration { slowest.map { $0.waited + $0.drew } ?? .zero }
}
