/// How far a runner is, and what it has.
struct RunState {
  let began: UInt64
  var progress: Progress
  /// What the last round took.
  var lastNs: UInt64 = 0
  /// How many rounds there will be, about.
  var estimate = 0
  var isInterrupted = false
  var measurements: Measurements

  init(_ measurements: Measurements, began: UInt64) {
    self.began = began
    self.measurements = measurements
    progress = Progress(slices: measurements.contenders.count)
  }

  /// Whether no further slice is measured.
  var isOver: Bool { isInterrupted || measurements.allFailed }
}
