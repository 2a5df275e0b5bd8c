import CGTKHeaders
import LoopTransactions
import NotesModel

/// The window. Its parts change at most once per frame of GTK's frame clock.
final class NotesWindow {
  static let showList = Selector<NotesWindow>("show list") { $0.showList() }
  static let showState = Selector<NotesWindow>.withObservation("show state") { $0.showState() }
  static let find = Selector<NotesWindow>("find") { $0.find() }

  let notes: Notes
  let sidebar: Sidebar
  let editor: Editor
  let toast: Toast
  let appearance: Appearance
  let window: Widget
  let meter: FrameMeter?
  var actions: [String: OpaquePointer] = [:]
  var buttons: [String: Widget] = [:]

  let loop: EventLoop
  private var clock: FrameClock?
  private(set) var isClosed = false
  // Whether the window closes when the notes are saved.
  private var isClosing = false
  // Whether the window shows that saving has failed, so that closing it again discards the
  // changes.
  private var mayDiscard = false

  init(_ notes: Notes, in folder: String, on loop: EventLoop, meter: FrameMeter?) {
    (self.notes, self.loop, self.meter) = (notes, loop, meter)
    window = checked(gtk_window_new())
    appearance = Appearance(file: "\(folder)/appearance")
    sidebar = Sidebar(notes)
    editor = Editor(notes, on: loop)
    toast = Toast(on: loop)
    Style.add(to: gdk_display_get_default())
    layOut()
    addActions()
    connectParts()
  }

  /// Shows the window, and follows its frames.
  func present() {
    gtk_window_present(cast(window))
    gtk_widget_grab_focus(sidebar.listView)
    // A window has a frame clock once it was presented.
    guard let frames = gtk_widget_get_frame_clock(window) else { return }
    let clock = FrameClock(hostedOn: loop) {
      gdk_frame_clock_request_phase(frames, GDK_FRAME_CLOCK_PHASE_UPDATE)
    }
    connect(Pointer(frames), "update", gtkFrameBegan, self)
    connectAfter(Pointer(frames), "layout", gtkLaidOut, self)
    meter?.follow(frames, of: loop) { [unowned self] in sidebar.rows.countOutdated() }
    self.clock = clock
    loop.commit(self, Self.showState, atNextFrameOf: clock)
    listChanged()
  }

  /// Closes the window once all notes are saved. If they cannot be saved, the window stays
  /// open and shows the reason. Closing it again discards the changes.
  func close() {
    guard !isClosing else { return }
    editor.finish()
    notes.stopFeed()
    guard !mayDiscard else { return destroy() }
    isClosing = true
    notes.autosave.flush { [self] isSaved in
      isClosing = false
      if isSaved { return destroy() }
      mayDiscard = true
      toast.show("The notes cannot be saved. Close the window again to discard the changes.")
    }
  }

  /// Saves once, and closes the window whether this succeeds or not.
  func terminate() {
    mayDiscard = false
    close()
    notes.autosave.flush { [self] _ in destroy() }
  }

  private func destroy() {
    guard !isClosed else { return }
    editor.close()
    sidebar.rows.close()
    toast.close()
    isClosed = true
    // GTK's frame clock ends with the window.
    clock?.cancel()
    gtk_window_destroy(cast(window))
  }
}

// Parts.
extension NotesWindow {
  private func layOut() {
    gtk_window_set_default_size(cast(window), 900, 600)
    gtk_window_set_titlebar(cast(window), makeHeader())
    let panes = checked(gtk_paned_new(GTK_ORIENTATION_HORIZONTAL))
    gtk_paned_set_start_child(cast(panes), sidebar.widget)
    gtk_paned_set_end_child(cast(panes), editor.widget)
    gtk_paned_set_position(cast(panes), 290)
    gtk_paned_set_resize_start_child(cast(panes), 0)
    gtk_paned_set_shrink_start_child(cast(panes), 0)
    let overlay = checked(gtk_overlay_new())
    gtk_overlay_set_child(cast(overlay), panes)
    gtk_overlay_add_overlay(cast(overlay), toast.widget)
    gtk_window_set_child(cast(window), overlay)
  }

  private func connectParts() {
    sidebar.list.selectionChanged = { [unowned self] in editor.show($0) }
    notes.listChanged = { [unowned self] in listChanged() }
    notes.noteChanged = { [unowned self] in
      if sidebar.rows.markChanged($0), let clock, !isClosed {
        loop.commit(sidebar.rows, NoteRows.refresh, atNextFrameOf: clock)
      }
    }
    connect(sidebar.search, "changed", gtkSearchChanged, self)
    connect(sidebar.search, "stop-search", gtkSearchStopped, self)
    connect(sidebar.search, "activate", gtkSearchEnded, self)
    connect(sidebar.listView, "activate", erased: gtkRowActivated, self)
    connect(window, "close-request", answeredBy: gtkCloseRequested, self)
  }

  private func listChanged() {
    if let clock, !isClosed { loop.commit(self, Self.showList, atNextFrameOf: clock) }
  }

  private func find() {
    if !isClosed { notes.find(sidebar.searchText) }
  }

  // If the window closes while a transaction is pending, it has no widgets to change.
  private func showList() {
    if !isClosed, !sidebar.showList() { listChanged() }
  }

  private func showState() {
    guard !isClosed else { return }
    gtk_window_set_title(cast(window), notes.phase == .loading ? "Notes (loading)" : "Notes")
    sidebar.showStatus()
    let isReady = notes.phase == .ready
    setEnabled("undo", notes.canUndo)
    setEnabled("redo", notes.canRedo)
    setEnabled("new", isReady)
    setEnabled("delete", isReady && notes.count > 0)
  }
}

// Signals.
extension NotesWindow {
  fileprivate func frameBegan() { clock?.beginFrame() }

  fileprivate func laidOut() { sidebar.rows.fillVisible() }

  fileprivate func searchChanged() { loop.commit(self, Self.find) }

  fileprivate func searchEnded() { focusList() }

  fileprivate func rowActivated() { gtk_widget_grab_focus(editor.text) }

  /// Gives the focus to the list, and selects its first note if none is selected.
  func focusList() {
    loop.performIfNeeded(self, Self.find)
    if let clock, clock.isActive { loop.performIfNeeded(self, Self.showList) }
    if sidebar.list.selected.flatMap(sidebar.list.position) == nil,
      let first = sidebar.list.id(at: 0)
    {
      select(first)
    }
    sidebar.focusSelected()
  }

  /// Selects a note, and shows it in the editor.
  func select(_ id: Int?) {
    loop.performIfNeeded(self, Self.showList)
    sidebar.select(id)
    editor.show(id)
  }
}

private func gtkFrameBegan(_: Pointer?, _ data: Pointer?) {
  handle(data, as: NotesWindow.self) { $0.frameBegan() }
}

private func gtkLaidOut(_: Pointer?, _ data: Pointer?) {
  handle(data, as: NotesWindow.self) { $0.laidOut() }
}

private func gtkSearchChanged(_: Pointer?, _ data: Pointer?) {
  handle(data, as: NotesWindow.self) { $0.searchChanged() }
}

private func gtkSearchStopped(_: Pointer?, _ data: Pointer?) {
  handle(data, as: NotesWindow.self) { $0.endSearch() }
}

private func gtkSearchEnded(_: Pointer?, _ data: Pointer?) {
  handle(data, as: NotesWindow.self) { $0.searchEnded() }
}

private func gtkCloseRequested(_: Pointer?, _ data: Pointer?) -> gboolean {
  handle(data, as: NotesWindow.self) { $0.close() }
  return 1
}

/// The signal has the position of the row, which is selected already.
private let gtkRowActivated: GCallback = {
  let handler: @convention(c) (Pointer?, guint, Pointer?) -> Void = { _, _, data in
    handle(data, as: NotesWindow.self) { $0.rowActivated() }
  }
  return unsafeBitCast(handler, to: GCallback.self)
}()
