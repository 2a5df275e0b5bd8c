import AsyncDisplay
import CGTK
import LoopTransactions
import LoopTransactionsGLib

// A window needs a display, and the tests of Hosts show one.
func makeWindow() -> UnsafeMutablePointer<GtkWidget>? { gtk_window_new() }

// The real declarations of the structures and functions that AsyncDisplay uses.
func usesRealHeaders() -> Bool {
  var (matrix, rect) = (cairo_matrix_t(), PangoRectangle())
  cairo_matrix_init_identity(&matrix)
  rect.width = 1
  let attribute = pango_attr_shape_new(&rect, &rect)
  defer { pango_attribute_destroy(attribute) }
  let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, 1, 1)
  defer { cairo_surface_destroy(surface) }
  return matrix.xx == 1 && attribute?.pointee.start_index == 0
    && cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS
}

let main = g_main_loop_new(nil, 0)
let loop = try EventLoop()
let host = GLibHost(loop)
let display = Display(on: loop)
var title: TextNode?

display.build { _ -> sending TextNode in
  let node = TextNode()
  node.frame = Rect(x: 0, y: 0, width: 200, height: 40)
  node.text = AttributedText("Hello", TextAttributes(font: Font("DejaVu Sans", size: 24)))
  return node
} completion: { outcome in
  title = outcome.value
  title?.load(in: display, scale: 2)
}
loop.addObserver(for: .beforeWaiting) { _ in
  if title?.layer?.contents != nil { g_main_loop_quit(main) }
}
g_main_loop_run(main)
let pixels = title?.layer?.contents?.pixels
title?.unload()
host.cancel()
try loop.close()
print("\(pixels?.width ?? 0) x \(pixels?.height ?? 0) pixels, GTK \(gtk_get_major_version())")
if !usesRealHeaders() { print("the real headers have other declarations") }
