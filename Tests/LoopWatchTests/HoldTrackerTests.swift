import LoopWatch
import Testing

@Suite("HoldTracker")
struct HoldTrackerTests {}
