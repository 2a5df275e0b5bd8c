import CGTKHeaders
import LoopTransactions
import NotesModel

/// The text of one note. However many keys arrive in a tick, a transaction changes the note
/// once.
final class Editor {
  static let commit = Selector<Editor>("edit") { $0.commitText() }

  /// The counts of a run, which the tests check.
  private(set) var changes = 0
  private(set) var commits = 0

  let widget: Widget
  let text: Widget
  private(set) var id: Int?

  private let notes: Notes
  private let loop: EventLoop
  private let buffer: UnsafeMutablePointer<GtkTextBuffer>
  private let titleTag: UnsafeMutablePointer<GtkTextTag>
  // Whether the program sets the text, not the user.
  private var isShowing = false
  private var isClosed = false

  init(_ notes: Notes, on loop: EventLoop) {
    (self.notes, self.loop) = (notes, loop)
    text = checked(gtk_text_view_new())
    buffer = gtk_text_view_get_buffer(cast(text))
    titleTag = gtk_text_tag_new("title")
    widget = checked(gtk_stack_new())
    // The notes have one history for all changes.
    gtk_text_buffer_set_enable_undo(buffer, 0)
    setProperty(titleTag, "weight", int: 700)
    setProperty(titleTag, "scale", double: 1.5)
    setProperty(titleTag, "pixels-below-lines", int: 6)
    gtk_text_tag_table_add(gtk_text_buffer_get_tag_table(buffer), titleTag)
    layOut()
    connect(buffer, "changed", gtkTextChanged, self)
  }

  private func layOut() {
    gtk_text_view_set_wrap_mode(cast(text), GTK_WRAP_WORD_CHAR)
    gtk_text_view_set_left_margin(cast(text), 28)
    gtk_text_view_set_right_margin(cast(text), 28)
    gtk_text_view_set_top_margin(cast(text), 24)
    gtk_text_view_set_bottom_margin(cast(text), 24)
    gtk_text_view_set_pixels_below_lines(cast(text), 3)
    gtk_widget_add_css_class(text, "note-text")
    let scroll = checked(gtk_scrolled_window_new())
    gtk_scrolled_window_set_child(cast(scroll), text)
    gtk_stack_add_named(cast(widget), makeHint("No note selected", ""), "none")
    gtk_stack_add_named(cast(widget), scroll, "text")
    gtk_widget_set_hexpand(widget, 1)
  }

  /// Shows another note, or none.
  func show(_ id: Int?) {
    finish()
    guard id != self.id else { return }
    self.id = id
    notes.endEdit()
    setText(id.flatMap { notes[$0]?.text } ?? "")
    gtk_stack_set_visible_child_name(cast(widget), id == nil ? "none" : "text")
  }

  /// Shows the text of the note again, after it was undone. The cursor is behind the part
  /// that differs.
  func reload() {
    guard let text = id.flatMap({ notes[$0]?.text }) else { return }
    let edit = TextEdit(from: currentText, to: text)
    var (start, end) = (GtkTextIter(), GtkTextIter())
    isShowing = true
    gtk_text_buffer_get_iter_at_offset(buffer, &start, Int32(edit.position))
    gtk_text_buffer_get_iter_at_offset(buffer, &end, Int32(edit.position + edit.removed))
    gtk_text_buffer_delete(buffer, &start, &end)
    gtk_text_buffer_insert(buffer, &start, edit.inserted, -1)
    gtk_text_buffer_place_cursor(buffer, &start)
    isShowing = false
    styleTitle()
    gtk_text_view_scroll_mark_onscreen(cast(self.text), gtk_text_buffer_get_insert(buffer))
  }

  /// Applies a change that is pending.
  func finish() { loop.performIfNeeded(self, Self.commit) }

  /// The widgets are released afterwards.
  func close() {
    finish()
    isClosed = true
  }

  fileprivate func textChanged() {
    guard !isShowing else { return }
    changes += 1
    loop.commit(self, Self.commit)
  }

  private func commitText() {
    guard !isClosed, let id else { return }
    commits += 1
    notes.edit(id, currentText)
    styleTitle()
  }

  private func setText(_ text: String) {
    isShowing = true
    gtk_text_buffer_set_text(buffer, text, -1)
    var start = GtkTextIter()
    gtk_text_buffer_get_start_iter(buffer, &start)
    gtk_text_buffer_place_cursor(buffer, &start)
    isShowing = false
    styleTitle()
  }

  private var currentText: String {
    var (start, end) = (GtkTextIter(), GtkTextIter())
    gtk_text_buffer_get_bounds(buffer, &start, &end)
    guard let text = gtk_text_buffer_get_text(buffer, &start, &end, 1) else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// Makes the first line a title.
  private func styleTitle() {
    var (start, line, end) = (GtkTextIter(), GtkTextIter(), GtkTextIter())
    gtk_text_buffer_get_bounds(buffer, &start, &end)
    gtk_text_buffer_get_start_iter(buffer, &line)
    if gtk_text_iter_ends_line(&line) == 0 { gtk_text_iter_forward_to_line_end(&line) }
    gtk_text_buffer_apply_tag(buffer, titleTag, &start, &line)
    gtk_text_buffer_remove_tag(buffer, titleTag, &line, &end)
  }
}

private func gtkTextChanged(_: Pointer?, _ data: Pointer?) {
  handle(data, as: Editor.self) { $0.textChanged() }
}
