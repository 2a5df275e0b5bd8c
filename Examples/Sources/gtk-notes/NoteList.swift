import CGTKHeaders
import NotesModel

/// The list model of the notes, for a `GtkListView`: a `GListModel` over identifiers. It is a
/// `GtkSelectionModel` too, because GTK's own models would ask for the objects of all changed
/// rows.
///
/// The objects that GTK receives say nothing about a note: a row asks for the identifier at its
/// position. The newest note is at position 0. Main thread only.
final class NoteList {
  /// The object for GTK. Owned until `deinit`.
  let model: UnsafeMutablePointer<GObject>

  /// Called when the user selects another note.
  var selectionChanged: (Int) -> Void = { _ in }

  private(set) var selected: Int?

  /// How often the identifiers have changed, which the tests check.
  private(set) var changes = 0

  /// The identifiers in ascending order.
  private var ids: [Int] = []
  /// The number of blank rows behind the last note.
  private var blanks = 0

  init() {
    model = g_object_new_with_properties(noteListType, 0, nil, nil)
    g_object_set_data(model, "list", Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    g_object_set_data(model, "list", nil)
    g_object_unref(model)
  }

  var count: Int { ids.count }

  fileprivate var rowCount: Int { ids.count + blanks }

  func position(of id: Int) -> Int? {
    let index = ids.partitioningIndex { $0 >= id }
    return index < ids.count && ids[index] == id ? ids.count - 1 - index : nil
  }

  func id(at position: Int) -> Int? {
    ids.indices.contains(position) ? ids[ids.count - 1 - position] : nil
  }

  // GTK makes about 200 rows, in any list that has as many. To make or destroy so many in one
  // frame would take a large part of it, or longer.
  private static let longCount = 260
  private static let rowsPerCall = 24

  /// Sets the identifiers, in ascending order. A short list grows by 24 rows in a call, and
  /// shrinks by as many: rows behind the last note are blank until then.
  ///
  /// GTK is not told that other notes are at the same positions, because it would make new rows
  /// for all of them.
  ///
  /// - Parameters:
  ///   - replacing: Called before other notes are at the same positions. Scroll to the first
  ///     row: GTK makes new rows if it removes all those that are near the visible ones.
  ///   - replaced: Called afterwards.
  /// - Returns: Whether the list is complete. Call again in the next frame if not.
  func show(_ all: [Int], replacing: () -> Void, replaced: () -> Void) -> Bool {
    let isLong = ids.count >= Self.longCount
    let limit = isLong ? all.count : min(all.count, rowCount + Self.rowsPerCall)
    let new = limit == all.count ? all : Array(all.suffix(limit))
    let (first, last) = Self.equalEnds(ids, new)
    let (removed, added) = (ids.count - first - last, new.count - first - last)
    if removed > 0 || added > 0 { changes += 1 }
    if removed > Self.rowsPerCall || (blanks > 0 && added > 0) {
      replacing()
      replace(with: new)
      replaced()
    } else {
      ids = new
      // The last identifier is at position 0.
      changed(at: last, removed, added)
      let surplus = min(blanks, Self.rowsPerCall)
      blanks -= surplus
      changed(at: rowCount, surplus, 0)
    }
    return limit == all.count && blanks == 0
  }

  private func replace(with new: [Int]) {
    let (before, old) = (selected.flatMap(position), rowCount)
    ids = new
    blanks = max(0, min(old, Self.longCount) - Self.rowsPerCall - new.count)
    let kept = min(old, rowCount)
    changed(at: kept, old - kept, rowCount - kept)
    // Not one signal for all positions: GTK would bind all rows again.
    for position in [before, selected.flatMap(position)] {
      guard let position, position < kept else { continue }
      gtk_selection_model_selection_changed(cast(model), guint(position), 1)
    }
  }

  private func changed(at position: Int, _ removed: Int, _ added: Int) {
    guard removed > 0 || added > 0 else { return }
    g_list_model_items_changed(cast(model), guint(position), guint(removed), guint(added))
  }

  func select(_ id: Int?) {
    guard id != selected else { return }
    let positions = [selected, id].compactMap { $0.flatMap(position) }
    selected = id
    for position in positions {
      gtk_selection_model_selection_changed(cast(model), guint(position), 1)
    }
  }

  /// Returns how many identifiers are equal at the beginning, and how many of the others
  /// at the end.
  private static func equalEnds(_ old: [Int], _ new: [Int]) -> (first: Int, last: Int) {
    old.withUnsafeBufferPointer { old in
      new.withUnsafeBufferPointer { new in
        let shorter = min(old.count, new.count)
        var (first, last) = (0, 0)
        while first < shorter, old[first] == new[first] { first += 1 }
        while last < shorter - first, old[old.count - 1 - last] == new[new.count - 1 - last] {
          last += 1
        }
        return (first, last)
      }
    }
  }
}

/// A subclass of GObject with the two interfaces.
private let noteListType: GType = {
  let type = g_type_register_static_simple(
    gTypeObject,
    "LTNoteList",
    guint(MemoryLayout<GObjectClass>.size),
    nil,
    guint(MemoryLayout<GObject>.size),
    nil,
    GTypeFlags(rawValue: 0)
  )
  var list = GInterfaceInfo(
    interface_init: setListFunctions,
    interface_finalize: nil,
    interface_data: nil
  )
  g_type_add_interface_static(type, g_list_model_get_type(), &list)
  var selection = GInterfaceInfo(
    interface_init: setSelectionFunctions,
    interface_finalize: nil,
    interface_data: nil
  )
  g_type_add_interface_static(type, gtk_selection_model_get_type(), &selection)
  return type
}()

private func setListFunctions(_ table: gpointer?, _: gpointer?) {
  guard let list = table?.assumingMemoryBound(to: GListModelInterface.self) else { return }
  list.pointee.get_item_type = { _ in gTypeObject }
  list.pointee.get_n_items = { guint(noteList($0)?.rowCount ?? 0) }
  list.pointee.get_item = { model, position in
    guard let list = noteList(model), position < list.rowCount else { return nil }
    return Pointer(g_object_new_with_properties(gTypeObject, 0, nil, nil))
  }
}

private func setSelectionFunctions(_ table: gpointer?, _: gpointer?) {
  guard let selection = table?.assumingMemoryBound(to: GtkSelectionModelInterface.self) else {
    return
  }
  selection.pointee.is_selected = { model, position in
    guard let list = noteList(model), let selected = list.selected else { return 0 }
    return list.id(at: Int(position)) == selected ? 1 : 0
  }
  selection.pointee.get_selection_in_range = { model, first, count in
    let set = gtk_bitset_new_empty()
    if let list = noteList(model), let selected = list.selected,
      let position = list.position(of: selected), guint(position) >= first,
      guint(position) - first < count
    {
      gtk_bitset_add(set, guint(position))
    }
    return set
  }
  selection.pointee.select_item = { model, position, _ in
    guard let list = noteList(model), let id = list.id(at: Int(position)) else { return 0 }
    list.select(id)
    list.selectionChanged(id)
    return 1
  }
}

/// The list of a model; nil after it was released.
private func noteList(_ model: OpaquePointer?) -> NoteList? {
  guard let model, let list = g_object_get_data(cast(model), "list") else { return nil }
  return Unmanaged<NoteList>.fromOpaque(list).takeUnretainedValue()
}
