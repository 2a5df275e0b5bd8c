import CGTKHeaders

// GTK's headers define some of its types, which Swift sees as typed pointers. The others are
// opaque. Functions of a superclass take another type of pointer than its subclasses have.

typealias Pointer = UnsafeMutableRawPointer
typealias Widget = UnsafeMutablePointer<GtkWidget>

/// Does the work of GTK's macros such as `GTK_WINDOW`, which Swift lacks.
func cast<Part>(_ object: UnsafeMutablePointer<some Any>) -> UnsafeMutablePointer<Part> {
  Pointer(object).assumingMemoryBound(to: Part.self)
}

func cast<Part>(_ object: OpaquePointer) -> UnsafeMutablePointer<Part> {
  Pointer(object).assumingMemoryBound(to: Part.self)
}

func cast(_ object: UnsafeMutablePointer<some Any>) -> OpaquePointer { OpaquePointer(object) }

/// Returns a widget that GTK makes. GTK ends the process if it has no memory for one, so the
/// result is never nil.
func checked(_ widget: Widget?) -> Widget {
  guard let widget else { preconditionFailure("gtk-notes: GTK made no widget; call gtk_init") }
  return widget
}

/// Handlers of signals: the sender, the parameters and the data.
typealias Handler = @convention(c) (Pointer?, Pointer?) -> Void
typealias ParameterHandler = @convention(c) (Pointer?, Pointer?, Pointer?) -> Void
typealias AnsweringHandler = @convention(c) (Pointer?, Pointer?) -> gboolean

/// Calls `handler` with `data` when `sender` emits `signal`. The data is not retained: it
/// lives as long as the widgets.
func connect(_ sender: Pointer, _ signal: String, _ handler: Handler, _ data: AnyObject) {
  connect(sender, signal, erased: unsafeBitCast(handler, to: GCallback.self), data)
}

/// The same, for a signal with one parameter, such as "notify".
func connect(
  _ sender: Pointer,
  _ signal: String,
  withParameterTo handler: ParameterHandler,
  _ data: AnyObject
) {
  connect(sender, signal, erased: unsafeBitCast(handler, to: GCallback.self), data)
}

/// The same, for a signal whose handler answers whether it has handled it.
func connect(
  _ sender: Pointer,
  _ signal: String,
  answeredBy handler: AnsweringHandler,
  _ data: AnyObject
) {
  connect(sender, signal, erased: unsafeBitCast(handler, to: GCallback.self), data)
}

/// Calls `handler` after the handlers that were connected without this, also later.
func connectAfter(_ sender: Pointer, _ signal: String, _ handler: Handler, _ data: AnyObject) {
  let callback = unsafeBitCast(handler, to: GCallback.self)
  connect(sender, signal, erased: callback, data, flags: G_CONNECT_AFTER)
}

/// GObject has one type for all handlers, and calls each with the arguments of its signal.
/// Nothing checks their number.
func connect(
  _ sender: Pointer,
  _ signal: String,
  erased: GCallback,
  _ data: AnyObject,
  flags: GConnectFlags = GConnectFlags(rawValue: 0)
) {
  g_signal_connect_data(
    sender,
    signal,
    erased,
    Unmanaged.passUnretained(data).toOpaque(),
    nil,
    flags
  )
}

/// Calls `body` with the object that `connect` received as data. The time counts as the
/// program's own part of a frame.
func handle<Object: AnyObject, Result>(
  _ data: Pointer?,
  as type: Object.Type,
  _ body: (Object) -> Result
) -> Result {
  guard let data else { preconditionFailure("gtk-notes: a signal has no data; use connect()") }
  let object = Unmanaged<Object>.fromOpaque(data).takeUnretainedValue()
  return HandlerTimes.measure { body(object) }
}

extension UnsafeMutablePointer<GtkWidget> {
  func setMargins(_ margin: Int32) {
    gtk_widget_set_margin_start(self, margin)
    gtk_widget_set_margin_end(self, margin)
    gtk_widget_set_margin_top(self, margin)
    gtk_widget_set_margin_bottom(self, margin)
  }
}

/// Makes a label whose text is shortened to its width.
func makeLabel(_ text: String, styles: String...) -> Widget {
  let label = checked(gtk_label_new(text))
  gtk_label_set_xalign(cast(label), 0)
  gtk_label_set_ellipsize(cast(label), PANGO_ELLIPSIZE_END)
  for style in styles { gtk_widget_add_css_class(label, style) }
  return label
}

/// Makes a button with a themed icon, for an action of the window.
func makeButton(icon: String, action: String, tooltip: String) -> Widget {
  let button = checked(gtk_button_new_from_icon_name(icon))
  gtk_actionable_set_action_name(cast(button), action)
  gtk_widget_set_tooltip_text(button, tooltip)
  // The keyboard focus stays in the list or the text.
  gtk_widget_set_focus_on_click(button, 0)
  return button
}

/// Makes a text for an empty part of the window.
func makeHint(_ title: String, _ detail: String) -> Widget {
  let box = checked(gtk_box_new(GTK_ORIENTATION_VERTICAL, 6))
  for (text, style) in [(title, "hint-title"), (detail, "hint-detail")] where !text.isEmpty {
    let label = checked(gtk_label_new(text))
    gtk_label_set_wrap(cast(label), 1)
    gtk_label_set_justify(cast(label), GTK_JUSTIFY_CENTER)
    gtk_widget_add_css_class(label, style)
    gtk_box_append(cast(box), label)
  }
  gtk_widget_set_valign(box, GTK_ALIGN_CENTER)
  gtk_widget_set_halign(box, GTK_ALIGN_CENTER)
  box.setMargins(18)
  return box
}

// GType numbers of GLib's macros, which Swift does not import.
let gTypeBoolean = GType(5 << 2)
let gTypeInt = GType(6 << 2)
let gTypeDouble = GType(15 << 2)
let gTypeString = GType(16 << 2)
let gTypeObject = GType(20 << 2)

func setProperty(_ object: UnsafeMutablePointer<some Any>, _ name: String, int number: Int32) {
  var value = GValue()
  g_value_init(&value, gTypeInt)
  g_value_set_int(&value, number)
  g_object_set_property(cast(object), name, &value)
}

func setProperty(_ object: UnsafeMutablePointer<some Any>, _ name: String, double number: Double) {
  var value = GValue()
  g_value_init(&value, gTypeDouble)
  g_value_set_double(&value, number)
  g_object_set_property(cast(object), name, &value)
}

func setProperty(_ object: UnsafeMutablePointer<some Any>, _ name: String, text: String) {
  var value = GValue()
  g_value_init(&value, gTypeString)
  g_value_set_string(&value, text)
  g_object_set_property(cast(object), name, &value)
  g_value_unset(&value)
}

/// Adds a key that activates an action of the window while `widget` has the focus.
func addKey(_ key: Int32, to widget: Widget, action: String) {
  let controller: OpaquePointer = gtk_shortcut_controller_new()
  gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
  let trigger: OpaquePointer = gtk_keyval_trigger_new(guint(key), GdkModifierType(rawValue: 0))
  let shortcut = gtk_shortcut_new(trigger, gtk_named_action_new(action))
  gtk_shortcut_controller_add_shortcut(controller, shortcut)
  gtk_widget_add_controller(widget, controller)
}
