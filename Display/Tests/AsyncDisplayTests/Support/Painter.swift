import AsyncDisplay
import LoopTransactionsTesting
import Synchronization

/// A delegate that records its callbacks and fills its layer with one colour.
///
/// A layer does not retain its delegate, so a test must extend the lifetime of
/// a painter that it no longer uses.
final class Painter: LayerDelegate {
  let trace: Trace
  let name: String
  /// The colour of the next display.
  var color = Color(red: 1, green: 0, blue: 0)
  /// Additional work of the next display. The closure receives the number of
  /// the display.
  var work: (@Sendable (Int, () -> Bool) throws -> Void)?
  /// Called in the next `willDisplay`.
  var onWill: (() -> Void)?
  /// Called in each `didDisplay`.
  var onDid: ((DisplayOutcome) -> Void)?
  /// Whether `displayTask(for:)` returns a task.
  var hasTask = true
  private(set) var count = 0

  init(_ trace: Trace = Trace(), name: String = "") {
    self.trace = trace
    self.name = name
  }

  func displayTask(for layer: Layer) -> DisplayTask? {
    guard hasTask else { return nil }
    count += 1
    let (count, name, trace, color, work) = (count, name, trace, color, work)
    return DisplayTask(
      willDisplay: { [onWill] _ in
        trace.record("\(name)will \(count)")
        onWill?()
      },
      didDisplay: { [onDid] _, outcome in
        trace.record("\(name)did \(count) \(outcome.word)")
        onDid?(outcome)
      }
    ) { context, size, isCancelled in
      trace.record("\(name)draw \(count)")
      context.fill(Rect(size: size), with: color)
      try work?(count, isCancelled)
    }
  }
}

extension DisplayOutcome {
  /// The name that the outcome has in a trace.
  var word: String {
    switch self {
    case .displayed: "displayed"
    case .cleared: "cleared"
    case .cancelled: "cancelled"
    case .failed(DisplayError.size(let refusal)): "failed \(refusal)"
    case .failed(let error): "failed \(error)"
    }
  }
}

extension Layer {
  /// Creates a layer of 4 x 4 points that `painter` draws.
  convenience init(in display: Display, _ painter: Painter) {
    self.init(in: display)
    delegate = painter
    size = Size(width: 4, height: 4)
  }
}

extension Bitmap {
  /// The top left pixel.
  var firstPixel: UInt32 { withPixels { $0[0] } }

  /// Returns the pixel at `x` and `y`.
  func pixel(_ x: Int, _ y: Int) -> UInt32 { withPixels { $0[y * pixels.width + x] } }
}
