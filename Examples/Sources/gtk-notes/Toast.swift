import CGTKHeaders
import LoopTransactions

/// A message above the window's content, with a button that undoes the change. It disappears
/// after a while.
final class Toast {
  private static let time = Duration.seconds(6)

  let widget: Widget
  private let label: Widget
  private let loop: EventLoop
  private var timer: LoopTimer?

  init(on loop: EventLoop) {
    self.loop = loop
    widget = checked(gtk_revealer_new())
    label = checked(gtk_label_new(""))
    let undo = checked(gtk_button_new_with_label("Undo"))
    gtk_actionable_set_action_name(cast(undo), "win.undo")
    gtk_widget_set_focus_on_click(undo, 0)
    let box = checked(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 14))
    gtk_widget_add_css_class(box, "toast")
    gtk_box_append(cast(box), label)
    gtk_box_append(cast(box), undo)
    gtk_revealer_set_child(cast(widget), box)
    gtk_revealer_set_transition_type(cast(widget), GTK_REVEALER_TRANSITION_TYPE_SLIDE_UP)
    gtk_widget_set_valign(widget, GTK_ALIGN_END)
    gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
  }

  func show(_ text: String) {
    gtk_label_set_text(cast(label), text)
    gtk_revealer_set_reveal_child(cast(widget), 1)
    timer?.cancel()
    timer = loop.addTimer(after: Self.time) { [unowned self] _ in hide() }
  }

  func hide() {
    timer?.cancel()
    gtk_revealer_set_reveal_child(cast(widget), 0)
  }

  /// The widgets are released afterwards.
  func close() { timer?.cancel() }
}
