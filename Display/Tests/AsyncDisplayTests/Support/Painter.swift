import AsyncDisplay
import LoopTransactionsTesting
import Synchronization

/// A delegate that records what it is told, and paints its layer in one colour.
///
/// A layer does not keep it: a test that does not look at it in the end extends its life.
final class Painter: LayerDelegate {
  let trace: Trace
  let name: String
  /// What the next display paints with.
  var color = Color(red: 1, green: 0, blue: 0)
  /// What the next display does beside, with its number.
  var work: (@Sendable (Int, () -> Bool) throws -> Void)?
  /// What the next will does beside.
  var onWill: (() -> Void)?
  /// What each did does beside.
  var onDid: ((DisplayOutcome) -> Void)?
  /// Whether it has a task at all.
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
      willDisplay: { [onWill] in
        trace.record("\(name)will \(count)")
        onWill?()
      },
      didDisplay: { [onDid] outcome in
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
  /// What a trace calls it.
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
  /// A layer of 4 by 4 points that `painter` paints.
  convenience init(in display: Display, _ painter: Painter) {
    self.init(in: display)
    delegate = painter
    size = Size(width: 4, height: 4)
  }
}

extension Bitmap {
  /// Its top left pixel.
  var firstPixel: UInt32 { withPixels { $0[0] } }

  /// The pixel at `x` and `y`.
  func pixel(_ x: Int, _ y: Int) -> UInt32 { withPixels { $0[y * pixels.width + x] } }
}
