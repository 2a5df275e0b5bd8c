import AsyncDisplay
import LoopTransactions
import Testing

extension Samples {
  /// Creates one value of every public type of AsyncDisplay.
  init(_ display: Display) throws {
    self.init()
    addGeometry()
    try addLayers(display)
    try addBitmaps(display.pool)
    addNodes(display)
    addImages(display.pool)
    addText()
    addEvents(display)
    addRanges(display)
  }

  private mutating func addGeometry() {
    add("Point", Point.zero)
    add("Size", Size.zero)
    add("Rect", Rect.zero)
    add("PixelSize", PixelSize(width: 4, height: 4))
    add("PixelSize.SizeError", PixelSize.SizeError.negative)
    add("Color", Color.black)
    add("Border", Border(width: 1, color: .black))
    add("Gradient", Gradient([Gradient.Stop(0, .black)]))
    add("Gradient.Stop", Gradient.Stop(0, .black))
  }

  private mutating func addLayers(_ display: Display) throws {
    let painter = Painter()
    let layer = Layer(in: display, painter)
    layer.setNeedsDisplay()
    layer.displayIfNeeded()
    add("Layer", layer)
    add("ContentsPolicy", layer.contentsPolicy)
    add("Display", display)
    add("DisplayMetrics", display.metrics)
    try addReports(display)
    add("DisplayTask", painter.displayTask(for: layer) as Any)
    add("DisplayOutcome", DisplayOutcome.failed(CancellationError()))
    add("DisplayError", DisplayError.noMemory(byteCount: 1))
    add("CancelWatch", CancelWatch { _, _ in } as Any)
  }

  private mutating func addReports(_ display: Display) throws {
    display.measuresDrawing = true
    let painter = Painter()
    let layer = Layer(in: display, painter)
    layer.displayNow()
    var report: DisplayFrameReport?
    let clock = FrameClock(hostedOn: display.loop) {}
    clock.frameHandler = { report = display.report(on: $0) }
    clock.beginFrame()
    clock.cancel()
    add("DisplayFrameReport", report as Any)
    add("DisplayFrameReport.SlowDisplay", report?.slowest as Any)
    withExtendedLifetime(painter) {}
  }

  private mutating func addBitmaps(_ pool: BitmapPool) throws {
    add("BitmapPool", pool)
    add("BitmapPool.Metrics", pool.metrics)
    var drawing: DrawingContext?
    let bitmap = try Bitmap.draw(PixelSize(width: 4, height: 4), from: pool) { drawing = $0 }
    add("Bitmap", bitmap)
    add("DrawingContext", drawing as Any)
    add("ImageBitmap", ImageBitmap(bitmap))
  }

  // The node is loaded and has all the objects that a node can refer to.
  private mutating func addNodes(_ display: Display) {
    let nodes = [
      ("Node", Node()), ("CanvasNode", CanvasNode()), ("GradientNode", GradientNode()),
      ("ImageNode", ImageNode()), ("TextNode", TextNode()), ("ControlNode", ControlNode()),
      ("MixedNode", MixedNode()), ("BandedNode", BandedNode()),
    ]
    let root = Node()
    for (name, node) in nodes {
      node.frame = Rect(x: 0, y: 0, width: 40, height: 40)
      node.backgroundColor = .white
      (node as? ImageNode)?.image = .data([])
      (node as? MixedNode)?.content = MixedText("text", TextAttributes(font: Font("Sans", size: 8)))
      (node as? ControlNode)?.addTarget(root, for: .all) { _, _, _ in }
      root.addSubnode(node)
      add(name, node)
    }
    root.load(in: display)
    root.displayIfNeeded()
    add("MixedNode.VerticalAlignment", MixedNode.VerticalAlignment.top)
  }

  private mutating func addImages(_ pool: BitmapPool) {
    add("ImageSource", ImageSource.file("picture.png"))
    add("ImageData", ImageData([1, 2, 3]))
    add("ImageError", ImageError.unknownFormat)
    add("ImageModification", ImageModification("same") { bitmap, _, _ in bitmap })
    add("BlurFilter", BlurFilter(radius: 1))
    add("ContentMode", ContentMode.center)
    let image = InlineImage(.file("picture.png"), size: .zero)
    add("InlineImage", image)
    var text = MixedText()
    text.append(image, link: "picture")
    add("MixedText", text)
    add("MixedText.Link", text.links[0])
  }

  private mutating func addText() {
    let attributes = TextAttributes(font: Font("Sans", size: 8))
    let text = AttributedText("text", attributes)
    var style = TextStyle()
    style.shadow = TextStyle.Shadow(offset: .zero, color: .black)
    add("Font", attributes.font)
    add("TextAttributes", attributes)
    add("AttributedText", text)
    add("AttributedText.Run", text.runs[0])
    add("TextStyle", style)
    add("TextStyle.Shadow", style.shadow as Any)
    add("TextStyle.Alignment", style.alignment)
    add("TextStyle.Truncation", style.truncation)
    add("TextMeasure", text.measure(style, in: Size(width: 100, height: 100)))
  }

  private mutating func addEvents(_ display: Display) {
    let control = ControlNode()
    add("ControlEvents", ControlEvents.touchDown)
    add("ControlAction", control.addTarget(display, for: .touchDown) { _, _, _ in })
    add("Touch", Touch(at: .zero))
    let router = TouchRouter(control)
    router.began(at: .zero)
    add("TouchRouter", router)
  }

  private mutating func addRanges(_ display: Display) {
    let ranges = RangeController(on: display)
    ranges.items = (0..<3).map { FeedCard($0, Painter().trace) }
    ranges.viewport = Rect(x: 0, y: 0, width: 100, height: 100)
    ranges.update()
    add("RangeController", ranges)
    add("RangeController.Axis", ranges.axis)
    add("RangeMode", ranges.currentMode)
    add("RangePlace", RangePlace.visible)
    add("RangeTuning", RangeTuning.none)
  }
}

@Suite("Reflection")
struct ReflectionTests {
  @Test("a value of every public type can be dumped, alone and in a structure")
  func dumps() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try withDisplay { display in try Samples(display).dumpAll() }
    }
    let names = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      names.hasSuffix("TouchRouter\n"),
      "the dump ended at \(names.split(separator: "\n").last ?? "")"
    )
  }

  @Test("there is a sample for every public type")
  func complete() throws {
    let types = try PublicTypes.names(of: "AsyncDisplay")
    #expect(types.count > 50)
    try withDisplay { display in
      let known = Set(try Samples(display).values.keys)
      #expect(Set(types).subtracting(known) == [])
      #expect(known.subtracting(types) == [])
    }
  }

  @Test("a dump of a layer, a display and a bitmap pool shows their state")
  func useful() throws {
    try withDisplay { display in
      // The layer holds its delegate weakly.
      let painter = Painter()
      let layer = Layer(in: display, painter)
      var text = ""
      withExtendedLifetime(painter) {
        for value in [layer, display, display.pool] as [Any] { dump(value, to: &text) }
      }
      for name in [
        "size: AsyncDisplay.Size", "state: AsyncDisplay.DisplayState", "inFlightBytes: 0",
      ] {
        #expect(text.contains(name), "\(name)")
      }
      #expect(text.contains("lentBytes: 0"))
    }
  }
}
