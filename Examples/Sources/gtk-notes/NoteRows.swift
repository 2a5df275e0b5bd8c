import CGTKHeaders
import Foundation
import LoopTransactions
import NotesModel

/// Makes and fills the rows of the list. GTK has widgets for the visible rows and up to 200
/// beside them, however many notes there are.
final class NoteRows {
  static let refresh = Selector<NoteRows>("refresh rows") { $0.refreshChanged() }

  /// The counts of a run, which the tests check.
  private(set) var made = 0
  private(set) var binds = 0
  private(set) var refills = 0
  private(set) var refreshes = 0
  private(set) var mostBound = 0

  let factory: OpaquePointer

  private let notes: Notes
  private let list: NoteList
  /// The rows that GTK has bound, by its object of a row, and by the note that they show.
  private var bound: [OpaquePointer: Row] = [:]
  private var rows: [Int: OpaquePointer] = [:]
  private var changed: Set<Int> = []
  private let dates = RowDates()

  /// The labels of a row, which are released after the row was unbound.
  private struct Row {
    var id: Int
    let title: OpaquePointer
    let detail: OpaquePointer
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
    // GTK's own widget of a row holds the box with the labels.
    guard let row = rows[id].flatMap({ bound[$0] }),
      let box = gtk_widget_get_parent(cast(row.title)),
      let widget = gtk_widget_get_parent(box)
    else { return false }
    return gtk_widget_grab_focus(widget) != 0
  }

  /// The widgets are released afterwards.
  func close() {
    rows.removeAll()
    bound.removeAll()
  }

  /// Fills the rows whose positions have other notes now.
  func refill() {
    rows.removeAll(keepingCapacity: true)
    for (item, row) in bound {
      // A row beyond the end of the list is unbound soon.
      guard let id = id(of: item) else { continue }
      rows[id] = item
      guard id != row.id else { continue }
      bound[item]?.id = id
      refills += 1
      fill(row, with: id)
    }
  }

  private func refreshChanged() {
    for id in changed {
      guard let row = rows[id].flatMap({ bound[$0] }) else { continue }
      refreshes += 1
      fill(row, with: id)
    }
    changed.removeAll()
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
    guard let id = id(of: item), let row = Self.row(of: item, showing: id) else { return }
    binds += 1
    bound[item] = row
    rows[id] = item
    mostBound = max(mostBound, bound.count)
    fill(row, with: id)
  }

  fileprivate func unbind(_ item: OpaquePointer) {
    guard let row = bound.removeValue(forKey: item) else { return }
    // GTK may have bound another row to the note before.
    if rows[row.id] == item { rows[row.id] = nil }
  }

  private func id(of item: OpaquePointer) -> Int? {
    list.id(at: Int(gtk_list_item_get_position(item)))
  }

  private func fill(_ row: Row, with id: Int) {
    guard let note = notes[id] else { return }
    let lines = note.lines
    gtk_label_set_text(row.title, lines.title)
    gtk_label_set_text(row.detail, "\(dates.text(for: note.created))  \(lines.preview)")
  }

  private static func row(of item: OpaquePointer, showing id: Int) -> Row? {
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
