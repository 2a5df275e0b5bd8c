import CGTKHeaders
import NotesModel

/// The list model of the notes, for a `GtkListView`: a `GListModel` over identifiers, which
/// makes an object for a row when GTK shows the row. It is a `GtkSelectionModel` too, because
/// GTK's own models would ask for the objects of all changed rows.
///
/// The newest note is at position 0. Main thread only.
final class NoteList {
  /// The object for GTK. Owned until `deinit`.
  let model: UnsafeMutablePointer<GObject>

  /// Called when the user selects another note.
  var selectionChanged: (Int) -> Void = { _ in }

  private(set) var selected: Int?

  /// The identifiers in ascending order.
  private var ids: [Int] = []

  init() {
    model = g_object_new_with_properties(noteListType, 0, nil, nil)
    g_object_set_data(model, "list", Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    g_object_set_data(model, "list", nil)
    g_object_unref(model)
  }

  var count: Int { ids.count }

  func position(of id: Int) -> Int? {
    let index = ids.partitioningIndex { $0 >= id }
    return index < ids.count && ids[index] == id ? ids.count - 1 - index : nil
  }

  func id(at position: Int) -> Int? {
    ids.indices.contains(position) ? ids[ids.count - 1 - position] : nil
  }

  /// Sets the identifiers, in ascending order, and reports the range that differs to GTK.
  /// Returns whether there was one.
  @discardableResult
  func show(_ new: [Int]) -> Bool {
    let old = ids
    let (first, last) = Self.equalEnds(old, new)
    guard first + last < old.count || first + last < new.count else { return false }
    ids = new
    // The last identifier is at position 0.
    g_list_model_items_changed(
      cast(model),
      guint(last),
      guint(old.count - first - last),
      guint(new.count - first - last)
    )
    return true
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

/// The note of a row that GTK made with a `NoteList`.
func noteID(of item: OpaquePointer) -> Int? {
  gtk_list_item_get_item(item).map { GtkListItemNote($0).id }
}

/// An object that stands for a note. GTK compares and retains it.
struct GtkListItemNote {
  let id: Int

  fileprivate init(_ item: Pointer) {
    id = Int(bitPattern: g_object_get_data(item.assumingMemoryBound(to: GObject.self), "id"))
  }

  /// Returns a new object, which the caller owns.
  fileprivate static func makeObject(_ id: Int) -> Pointer? {
    let object = g_object_new_with_properties(gTypeObject, 0, nil, nil)
    g_object_set_data(object, "id", Pointer(bitPattern: id))
    return Pointer(object)
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
  list.pointee.get_n_items = { guint(noteList($0)?.count ?? 0) }
  list.pointee.get_item = { model, position in
    noteList(model)?.id(at: Int(position)).flatMap(GtkListItemNote.makeObject)
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
