import CGTKHeaders
import NotesModel

/// The search field, the list of notes, and a line with the state of saving.
final class Sidebar {
  let widget: Widget
  let search: Widget
  let listView: Widget
  let list = NoteList()
  let rows: NoteRows

  private let notes: Notes
  private var isFiltered = false
  private let pages: Widget
  private let adjustment: UnsafeMutablePointer<GtkAdjustment>
  private let emptyTitle: Widget
  private let emptyDetail: Widget
  private let status: Widget
  private let retry: Widget

  init(_ notes: Notes) {
    self.notes = notes
    rows = NoteRows(notes, list)
    search = checked(gtk_search_entry_new())
    listView = checked(gtk_list_view_new(OpaquePointer(list.model), rows.factory))
    rows.view = listView
    widget = checked(gtk_box_new(GTK_ORIENTATION_VERTICAL, 0))
    pages = checked(gtk_stack_new())
    status = makeLabel("", styles: "note-detail")
    retry = checked(gtk_button_new_with_label("Retry"))
    let empty = makeHint(" ", " ")
    emptyTitle = checked(gtk_widget_get_first_child(empty))
    emptyDetail = checked(gtk_widget_get_last_child(empty))
    let scroll = checked(gtk_scrolled_window_new())
    adjustment = gtk_scrolled_window_get_vadjustment(cast(scroll))
    // The view owns a reference of the model.
    g_object_ref(list.model)
    gtk_scrolled_window_set_policy(cast(scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    gtk_scrolled_window_set_child(cast(scroll), listView)
    gtk_stack_add_named(cast(pages), empty, "empty")
    gtk_stack_add_named(cast(pages), scroll, "list")
    layOut()
  }

  private func layOut() {
    search.setMargins(10)
    setProperty(search, "placeholder-text", text: "Search")
    gtk_widget_set_vexpand(pages, 1)
    gtk_widget_add_css_class(listView, "navigation-sidebar")
    gtk_widget_add_css_class(widget, "notes-sidebar")
    gtk_widget_set_size_request(widget, 250, -1)
    gtk_widget_set_hexpand(status, 1)
    gtk_actionable_set_action_name(cast(retry), "win.save")
    gtk_widget_add_css_class(retry, "flat")
    gtk_widget_set_visible(retry, 0)
    let line = checked(gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6))
    gtk_widget_add_css_class(line, "notes-status")
    gtk_box_append(cast(line), status)
    gtk_box_append(cast(line), retry)
    for child in [search, pages, line] { gtk_box_append(cast(widget), child) }
  }

  var searchText: String {
    gtk_editable_get_text(OpaquePointer(search)).map { String(cString: $0) } ?? ""
  }

  /// Shows the notes that are listed now. The list stays where the user scrolled it, except for
  /// the results of another search. Returns false if the next frame has to show the rest.
  func showList() -> Bool {
    let (count, changes) = (list.count, list.changes)
    let isAtTop = gtk_adjustment_get_value(adjustment) < 1
    let isComplete = list.show(notes.listed) {
      scroll(to: 0)
    } replaced: {
      rows.markReplaced()
    }
    if count == 0 || list.count == 0 { showPage() }
    if !notes.query.isEmpty || isFiltered { showStatus() }
    isFiltered = !notes.query.isEmpty
    if list.changes > changes, isAtTop, list.count > 0 { scroll(to: 0) }
    return isComplete
  }

  /// Selects a note and scrolls to it.
  func select(_ id: Int?) {
    list.select(id)
    if let position = id.flatMap(list.position) { scroll(to: position) }
  }

  /// Gives the focus to the selected note.
  func focusSelected() {
    guard let id = list.selected, rows.focus(id) else {
      gtk_widget_grab_focus(listView)
      return
    }
  }

  func showStatus() {
    let text = Self.text(notes.autosave.state, notes.phase)
    var count = notes.count == 1 ? "1 note" : "\(Self.grouped(notes.count)) notes"
    if !notes.query.isEmpty { count = "\(Self.grouped(notes.listed.count)) of \(count)" }
    gtk_label_set_text(cast(status), "\(count) · \(text)")
    gtk_widget_set_tooltip_text(status, text)
    if case .failed = notes.autosave.state {
      gtk_widget_add_css_class(status, "failure")
      gtk_widget_set_visible(retry, 1)
    } else {
      gtk_widget_remove_css_class(status, "failure")
      gtk_widget_set_visible(retry, 0)
    }
    showPage()
  }

  private func scroll(to position: Int) {
    gtk_widget_activate_action_variant(
      listView,
      "list.scroll-to-item",
      g_variant_new_uint32(guint32(position))
    )
  }

  private func showPage() {
    // Notes of other files may have been loaded, if one is damaged.
    let isFailed = if case .failed = notes.phase { true } else { false }
    let isEmpty = list.count == 0 || isFailed
    gtk_stack_set_visible_child_name(cast(pages), isEmpty ? "empty" : "list")
    guard isEmpty else { return }
    let (title, detail) = emptyText
    gtk_label_set_text(cast(emptyTitle), title)
    gtk_label_set_text(cast(emptyDetail), detail)
  }

  private var emptyText: (title: String, detail: String) {
    switch notes.phase {
    case .loading: ("Loading…", "")
    case .failed(let reason): ("Cannot open the notes", reason)
    case .ready where notes.isSearching: ("Searching…", "")
    case .ready where notes.query.isEmpty: ("No notes yet", "Press Ctrl+N to write one")
    case .ready: ("Nothing found", "No note contains “\(searchText)”")
    }
  }

  private static func text(_ state: Autosave.State, _ phase: Notes.Phase) -> String {
    switch (phase, state) {
    case (.loading, _): "loading"
    case (.failed, _): "not loaded"
    case (.ready, .saved): "saved"
    case (.ready, .waiting): "edited"
    case (.ready, .saving): "saving"
    case (.ready, .failed(let reason)): reason
    }
  }

  private static func grouped(_ number: Int) -> String {
    guard number >= 1000 else { return "\(number)" }
    let rest = "\(number % 1000)"
    return "\(grouped(number / 1000)),\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }
}
