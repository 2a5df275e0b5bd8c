import CGTKHeaders
import Foundation
import LoopTransactions
import NotesModel

/// Makes and fills the rows of the list. GTK has widgets for the visible rows and up to 200
/// beside them, however many notes there are. To fill all of them takes a large part of a
/// frame, so a row is filled when it is visible, after GTK's layout and before it is drawn.
final class NoteRows {
  static let refresh = Selector<NoteRows>("refresh rows") { $0.refreshChanged() }

  /// The counts of a run, which the tests check.
  private(set) var made = 0
  private(set) var binds = 0
  private(set) var refills = 0
  private(set) var refreshes = 0
  private(set) var fills = 0
  private(set) var mostBound = 0
  private(set) var outdated = 0

  let factory: OpaquePointer
  /// The list view, once it was made.
  var view: Widget?

  private let notes: Notes
  private let list: NoteList
  /// The rows that GTK has bound, by its object of a row, and by the note that they show.
  private var bound: [OpaquePointer: Row] = [:]
  private var rows: [Int: OpaquePointer] = [:]
  private var changed: Set<Int> = []
  /// The bound rows that have to be filled when they are visible.
  private var stale: Set<OpaquePointer> = []
  private let dates = RowDates()

  /// The labels of a row, which are released after the row was unbound.
  private struct Row {
    var id: Int?
    let title: OpaquePointer
    let detail: OpaquePointer

    /// GTK's own widget of a row, which holds the box with the labels.
    var widget: Widget? { gtk_widget_get_parent(gtk_widget_get_parent(cast(title))) }

    /// Whether GTK draws the row. Its layout unmaps the rows beside the visible ones.
    var isVisible: Bool { gtk_widget_get_mapped(cast(title)) != 0 }
  }

  init(_ notes: Notes, _ list: NoteList) {
    (self.notes, self.list) = (notes, list)
    factory = gtk_signal_list_item_factory_new()
    connect(Pointer(factory), "setup", withParameterTo: gtkRowMade, self)
    connect(Pointer(factory), "bind", withParameterTo: gtkRowBound, self)
    connect(Pointer(factory), "unbind", withParameterTo: gtkRowUnbound, self)
  }

  /// Marks a note whose row shows an old text. Returns whether a row shows the note: commit
  /// `refresh` then.
  func markChanged(_ id: Int) -> Bool {
    guard rows[id] != nil else { return false }
    changed.insert(id)
    return true
  }

  /// Gives the focus to the row of a note, so that the arrow keys continue there. Returns
  /// false if GTK has no row for the note.
  func focus(_ id: Int) -> Bool {
    guard let row = rows[id].flatMap({ bound[$0] }), let widget = row.widget else { return false }
    return gtk_widget_grab_focus(widget) != 0
  }

  /// The widgets are released afterwards.
  func close() {
    rows.removeAll()
    bound.removeAll()
    stale.removeAll()
  }

  /// Marks the rows whose positions have other notes now.
  func markReplaced() {
    rows.removeAll(keepingCapacity: true)
    for (item, row) in bound {
      let id = id(of: item)
      if let id { rows[id] = item }
      guard id != row.id else { continue }
      bound[item]?.id = id
      refills += 1
      stale.insert(item)
    }
    requestLayout()
  }

  private func refreshChanged() {
    for id in changed {
      guard let item = rows[id] else { continue }
      refreshes += 1
      stale.insert(item)
    }
    changed.removeAll()
    requestLayout()
  }

  /// Makes GTK lay out the list in this frame, or in the next one outside of a frame.
  private func requestLayout() {
    if !stale.isEmpty, let view { gtk_widget_queue_allocate(view) }
  }

  /// Fills the visible rows that are stale. Called after GTK's layout. GTK lays out the rows
  /// again, because a label may have another size then, and draws them afterwards.
  func fillVisible() {
    for item in stale {
      guard let row = bound[item], row.isVisible else { continue }
      stale.remove(item)
      fills += 1
      fill(row)
    }
  }

  /// Counts the visible rows that were drawn with another text than their notes have. The tests
  /// check that there are none.
  func countOutdated() {
    for (item, row) in bound where row.isVisible {
      let id = id(of: item)
      if let id, changed.contains(id) { continue }
      if text(for: id) != (Self.text(of: row.title), Self.text(of: row.detail)) { outdated += 1 }
    }
  }

  fileprivate func make(_ item: OpaquePointer) {
    made += 1
    let box = checked(gtk_box_new(GTK_ORIENTATION_VERTICAL, 3))
    gtk_box_append(cast(box), makeLabel("", styles: "note-title"))
    gtk_box_append(cast(box), makeLabel("", styles: "note-detail"))
    gtk_widget_add_css_class(box, "note-row")
    gtk_list_item_set_child(item, box)
  }

  fileprivate func bind(_ item: OpaquePointer) {
    let id = id(of: item)
    guard let row = Self.row(of: item, showing: id) else { return }
    binds += 1
    bound[item] = row
    if let id { rows[id] = item }
    stale.insert(item)
    mostBound = max(mostBound, bound.count)
  }

  fileprivate func unbind(_ item: OpaquePointer) {
    guard let row = bound.removeValue(forKey: item) else { return }
    stale.remove(item)
    // GTK may have bound another row to the note before.
    if let id = row.id, rows[id] == item { rows[id] = nil }
  }

  private func id(of item: OpaquePointer) -> Int? {
    list.id(at: Int(gtk_list_item_get_position(item)))
  }

  private func fill(_ row: Row) {
    let text = text(for: row.id)
    gtk_label_set_text(row.title, text.title)
    gtk_label_set_text(row.detail, text.detail)
  }

  private func text(for id: Int?) -> (title: String, detail: String) {
    guard let note = id.flatMap({ notes[$0] }) else { return ("", "") }
    let lines = note.lines
    return (lines.title, "\(dates.text(for: note.created))  \(lines.preview)")
  }

  private static func text(of label: OpaquePointer) -> String {
    gtk_label_get_text(label).map { String(cString: $0) } ?? ""
  }

  private static func row(of item: OpaquePointer, showing id: Int?) -> Row? {
    guard let title = gtk_widget_get_first_child(gtk_list_item_get_child(item)),
      let detail = gtk_widget_get_next_sibling(title)
    else { return nil }
    return Row(id: id, title: cast(title), detail: cast(detail))
  }
}

/// The dates of rows: the time of day for a note of the last day, and the day for others.
private struct RowDates {
  private let start = Int(Date().timeIntervalSince1970)

  func text(for time: Int) -> String {
    var (seconds, parts) = (time_t(time), tm())
    guard localtime_r(&seconds, &parts) != nil else { return "" }
    if start - time < 86_400 { return "\(Self.two(parts.tm_hour)):\(Self.two(parts.tm_min))" }
    return "\(parts.tm_year + 1900)-\(Self.two(parts.tm_mon + 1))-\(Self.two(parts.tm_mday))"
  }

  private static func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

// Signals of the factory.

private func gtkRowMade(_: Pointer?, _ item: Pointer?, _ data: Pointer?) {
  guard let item else { return }
  handle(data, as: NoteRows.self) { $0.make(OpaquePointer(item)) }
}

private func gtkRowBound(_: Pointer?, _ item: Pointer?, _ data: Pointer?) {
  guard let item else { return }
  handle(data, as: NoteRows.self) { $0.bind(OpaquePointer(item)) }
}

private func gtkRowUnbound(_: Pointer?, _ item: Pointer?, _ data: Pointer?) {
  guard let item else { return }
  handle(data, as: NoteRows.self) { $0.unbind(OpaquePointer(item)) }
}
