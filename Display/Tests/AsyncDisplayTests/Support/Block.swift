import AsyncDisplay
import LoopTransactionsTesting

/// A node of one colour that records its callbacks.
class Block: Node {
  let trace: Trace
  let name: String
  var color: Color
  /// Additional work that the drawing performs.
  var work: (@Sendable (() -> Bool) throws -> Void)?

  init(_ name: String, _ frame: Rect, _ color: Color, _ trace: Trace = Trace()) {
    self.trace = trace
    self.name = name
    self.color = color
    super.init()
    self.frame = frame
  }

  override func makeDrawing() -> DisplayTask.Display? {
    { [trace, name, color, work] context, size, isCancelled in
      trace.record("draw \(name)")
      context.fill(Rect(size: size), with: color)
      try work?(isCancelled)
    }
  }

  override func willDisplay() { trace.record("will \(name)") }

  override func didDisplay(_ outcome: DisplayOutcome) {
    trace.record("did \(name) \(outcome.word)")
  }

  override func hierarchyDidDisplay() { trace.record("all of \(name)") }
}

extension Color {
  static let red = Color(red: 1, green: 0, blue: 0)
  static let green = Color(red: 0, green: 1, blue: 0)
  static let blue = Color(red: 0, green: 0, blue: 1)
}

/// Returns a red rasterizing root of 20 x 20 points. It contains a green part
/// of 10 x 10 points at 5, 5, which contains a blue part of 10 x 10 points at
/// 5, 5.
func makeTree(_ trace: Trace = Trace()) -> (root: Block, child: Block, inner: Block) {
  let root = Block("root", Rect(x: 7, y: 7, width: 20, height: 20), .red, trace)
  let child = Block("child", Rect(x: 5, y: 5, width: 10, height: 10), .green, trace)
  let inner = Block("inner", Rect(x: 5, y: 5, width: 10, height: 10), .blue, trace)
  root.rasterizesSubtree = true
  root.addSubnode(child)
  child.addSubnode(inner)
  return (root, child, inner)
}
