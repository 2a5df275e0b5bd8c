package import LoopTransactions
import Observation

/// The notes of the program: loads, changes, finds and saves them.
///
/// Belongs to the loop's thread. Workers read, write, search and make notes.
@Observable
package final class Notes {
  package enum Phase: Equatable {
    case loading
    case ready
    /// The folder cannot be read. The notes cannot be changed then.
    case failed(String)
  }

  package internal(set) var phase = Phase.loading
  package internal(set) var count = 0
  package private(set) var canUndo = false
  package private(set) var canRedo = false

  /// Called when `listed` changes.
  @ObservationIgnored package var listChanged: () -> Void = {}
  /// Called when the text of a note changes.
  @ObservationIgnored package var noteChanged: (Int) -> Void = { _ in }

  @ObservationIgnored package let autosave: Autosave
  @ObservationIgnored package private(set) var query = Query("")
  @ObservationIgnored let loop: EventLoop
  @ObservationIgnored let scheduler: OperationScheduler
  @ObservationIgnored let store: NoteStore
  @ObservationIgnored let box = Box()
  @ObservationIgnored var transactions: [AsyncTransaction] = []
  @ObservationIgnored var feedTimer: LoopTimer?
  @ObservationIgnored var isFeeding = false
  @ObservationIgnored private var history = UndoHistory()
  @ObservationIgnored private let search: NoteSearch
  // Identifiers in ascending order: all, those found, and those found by the earlier
  // search until the newest one has results.
  @ObservationIgnored private var all: [Int] = []
  @ObservationIgnored private var found: [Int] = []
  @ObservationIgnored private var earlier: [Int]?
  // Identifiers of notes that were deleted since the search began.
  @ObservationIgnored private var deleted: Set<Int> = []

  /// The notebook, which `Autosave` reads too.
  final class Box {
    var notebook = Notebook()
  }

  package init(_ store: NoteStore, on loop: EventLoop, scheduler: OperationScheduler) {
    self.store = store
    self.loop = loop
    self.scheduler = scheduler
    search = NoteSearch(on: loop, scheduler: scheduler)
    autosave = Autosave(store, on: loop, scheduler: scheduler) { [box] in box.notebook }
  }

  /// All notes.
  package var notebook: Notebook { box.notebook }

  /// The identifiers of the notes that match the query, in ascending order.
  package var listed: [Int] { query.isEmpty ? all : earlier ?? found }

  /// Whether workers still search.
  package var isSearching: Bool { search.isRunning }

  package subscript(id: Int) -> Note? { box.notebook[id] }
}

// Changes.
extension Notes {
  /// Adds an empty note. Returns its identifier.
  package func create(at time: Int) -> Int {
    let id = box.notebook.nextID
    change(id, to: Note(id: id, created: time, text: ""))
    return id
  }

  /// Sets the text of a note.
  package func edit(_ id: Int, _ text: String) {
    guard let note = self[id], note.text != text else { return }
    change(id, to: note.with(text))
  }

  package func delete(_ id: Int) { change(id, to: nil) }

  /// Undoes the newest change. Returns the identifier of its note.
  package func undo() -> Int? { apply(history.undo()) }

  /// Repeats the change that was undone last. Returns the identifier of its note.
  package func redo() -> Int? { apply(history.redo()) }

  /// Ends a group of edits that are undone together.
  package func endEdit() { history.close() }

  private func change(_ id: Int, to note: Note?) {
    history.record(id: id, before: self[id], after: note)
    set(id, to: note)
  }

  private func apply(_ change: UndoHistory.Change?) -> Int? {
    guard let change else { return nil }
    set(change.id, to: change.after)
    return change.id
  }

  private func set(_ id: Int, to note: Note?) {
    let existed = self[id] != nil
    box.notebook[id] = note
    autosave.changed(shard: Notebook.shard(of: id))
    if canUndo != history.canUndo { canUndo = history.canUndo }
    if canRedo != history.canRedo { canRedo = history.canRedo }
    switch (existed, note) {
    case (true, .some): noteChanged(id)
    case (false, .some(let note)): list(note)
    case (_, nil): unlist(id)
    }
  }
}

// The list.
extension Notes {
  /// Lists the notes that contain all words of a text.
  package func find(_ text: String) {
    let query = Query(text)
    guard query != self.query else { return }
    earlier = listed
    self.query = query
    startSearch()
  }

  /// Adds notes that others made, as one change of the list. They cannot be undone.
  package func append(_ drafts: [Draft]) {
    for draft in drafts {
      let id = box.notebook.append(draft)
      autosave.changed(shard: Notebook.shard(of: id))
      all.append(id)
      // A search that runs has an older notebook.
      if !query.isEmpty, query.matches(draft.folded) { found.append(id) }
    }
    countChanged()
  }

  /// Adds the notes of a file.
  func load(_ notes: [Note], shard: Int) {
    box.notebook.load(notes, shard: shard)
    guard let first = notes.first else { return }
    all.insert(contentsOf: notes.map(\.id), at: all.partitioningIndex { $0 > first.id })
    countChanged()
  }

  /// Searches again if the search had no complete notebook.
  func startSearch() {
    (found, deleted) = ([], [])
    guard !query.isEmpty, notebook.count > 0 else {
      search.cancel()
      earlier = nil
      return listChanged()
    }
    search.start(query, in: notebook) { [unowned self] ids in
      earlier = nil
      let ids = deleted.isEmpty ? ids : ids.filter { !deleted.contains($0) }
      found.insert(contentsOf: ids.reversed(), at: 0)
      listChanged()
    }
  }

  private func list(_ note: Note) {
    Self.insert(note.id, into: &all)
    if search.isRunning {
      startSearch()
    } else if !query.isEmpty {
      // A new note is listed, although it has no text yet.
      if note.text.isEmpty || query.matches(note) { Self.insert(note.id, into: &found) }
    }
    countChanged()
  }

  private func unlist(_ id: Int) {
    Self.remove(id, from: &all)
    Self.remove(id, from: &found)
    if search.isRunning { deleted.insert(id) }
    if var ids = earlier {
      Self.remove(id, from: &ids)
      earlier = ids
    }
    countChanged()
  }

  private func countChanged() {
    count = notebook.count
    listChanged()
  }

  private static func insert(_ id: Int, into ids: inout [Int]) {
    let position = ids.partitioningIndex { $0 >= id }
    if position == ids.count || ids[position] != id { ids.insert(id, at: position) }
  }

  private static func remove(_ id: Int, from ids: inout [Int]) {
    let position = ids.partitioningIndex { $0 >= id }
    if position < ids.count, ids[position] == id { ids.remove(at: position) }
  }
}
