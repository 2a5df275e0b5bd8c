import CGTKHeaders
import Foundation
import LoopTransactions
import NotesModel

// The actions of the window, which buttons, keys and the menu activate.
extension NotesWindow {
  private static let keys: [(action: String, key: String)] = [
    ("new", "<Control>n"), ("search", "<Control>f"), ("undo", "<Control>z"),
    ("redo", "<Control><Shift>z"), ("save", "<Control>s"), ("close", "<Control>q"),
  ]

  func addActions() {
    let group: OpaquePointer = OpaquePointer(g_simple_action_group_new())
    for name in [
      "new", "search", "undo", "redo", "save", "close", "delete", "focus-list", "end-search",
    ] {
      add(g_simple_action_new(name, nil), named: name, to: group)
    }
    let choice = g_variant_new_string(appearance.choice.rawValue)
    let appearance = g_simple_action_new_stateful("appearance", g_variant_get_type(choice), choice)
    add(appearance, named: "appearance", to: group)
    gtk_widget_insert_action_group(window, "win", group)
    g_object_unref(Pointer(group))
    addKeys()
  }

  /// Shows whether an action has an effect. The action itself stays enabled, because a key may
  /// come before the next frame.
  func setEnabled(_ action: String, _ isEnabled: Bool) {
    buttons[action].map { gtk_widget_set_sensitive($0, isEnabled ? 1 : 0) }
  }

  private func add(_ action: OpaquePointer?, named name: String, to group: OpaquePointer) {
    guard let action else { return }
    connect(Pointer(action), "activate", withParameterTo: gtkActionActivated, self)
    g_action_map_add_action(group, action)
    g_object_unref(Pointer(action))
    actions[name] = action
  }

  /// Adds the keys. The window handles them before the focused widget does, which may have
  /// a Ctrl+Z of its own.
  private func addKeys() {
    let controller: OpaquePointer = gtk_shortcut_controller_new()
    gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
    for (action, key) in Self.keys {
      let trigger = gtk_shortcut_trigger_parse_string(key)
      let shortcut = gtk_shortcut_new(trigger, gtk_named_action_new("win.\(action)"))
      gtk_shortcut_controller_add_shortcut(controller, shortcut)
    }
    gtk_widget_add_controller(window, controller)
    addKey(GDK_KEY_Delete, to: sidebar.listView, action: "win.delete")
    addKey(GDK_KEY_Escape, to: sidebar.listView, action: "win.end-search")
    addKey(GDK_KEY_Escape, to: editor.text, action: "win.focus-list")
    addKey(GDK_KEY_Down, to: sidebar.search, action: "win.focus-list")
  }

  func makeHeader() -> Widget {
    let header = checked(gtk_header_bar_new())
    for (action, icon, tooltip) in [
      ("new", "list-add-symbolic", "New note (Ctrl+N)"),
      ("undo", "edit-undo-symbolic", "Undo (Ctrl+Z)"),
      ("redo", "edit-redo-symbolic", "Redo (Ctrl+Shift+Z)"),
      ("delete", "user-trash-symbolic", "Delete (Delete, in the list)"),
    ] {
      buttons[action] = makeButton(icon: icon, action: "win.\(action)", tooltip: tooltip)
    }
    for action in ["new", "undo", "redo"] {
      gtk_header_bar_pack_start(cast(header), buttons[action])
    }
    gtk_header_bar_pack_end(cast(header), makeMenu())
    gtk_header_bar_pack_end(cast(header), buttons["delete"])
    return header
  }

  private func makeMenu() -> Widget {
    let appearance: OpaquePointer = g_menu_new()
    for (label, choice) in [
      ("Like the System", Appearance.Choice.system), ("Light", .light), ("Dark", .dark),
    ] {
      g_menu_append(appearance, label, "win.appearance::\(choice.rawValue)")
    }
    let commands: OpaquePointer = g_menu_new()
    for (label, action) in [
      ("New Note", "new"), ("Search", "search"), ("Save Now", "save"), ("Quit", "close"),
    ] {
      g_menu_append(commands, label, "win.\(action)")
    }
    let menu: OpaquePointer = g_menu_new()
    g_menu_append_section(menu, nil, cast(commands))
    g_menu_append_section(menu, "Appearance", cast(appearance))
    let button = checked(gtk_menu_button_new())
    gtk_menu_button_set_icon_name(cast(button), "open-menu-symbolic")
    gtk_menu_button_set_menu_model(cast(button), cast(menu))
    gtk_widget_set_tooltip_text(button, "Menu")
    for part in [commands, appearance, menu] { g_object_unref(Pointer(part)) }
    return button
  }
}

// The work of the actions.
extension NotesWindow {
  fileprivate func perform(_ action: String, _ parameter: OpaquePointer?) {
    guard !isClosed else { return }
    switch action {
    case "new": writeNew()
    case "search": gtk_widget_grab_focus(sidebar.search)
    case "undo": show(changed: undone(notes.undo))
    case "redo": show(changed: undone(notes.redo))
    case "save":
      editor.finish()
      notes.autosave.flush { _ in }
    case "close": close()
    case "delete": deleteSelected()
    case "focus-list": focusList()
    case "end-search": endSearch()
    case "appearance": choose(parameter)
    default: assertionFailure("gtk-notes: unknown action \(action)")
    }
  }

  /// Clears the search, and gives the focus to the list.
  func endSearch() {
    gtk_editable_set_text(cast(sidebar.search), "")
    loop.performIfNeeded(self, Self.find)
    select(sidebar.list.selected)
    focusList()
  }

  private func writeNew() {
    guard notes.phase == .ready else { return }
    editor.finish()
    let id = notes.create(at: Int(Date().timeIntervalSince1970))
    select(id)
    gtk_widget_grab_focus(editor.text)
  }

  private func undone(_ change: () -> Int?) -> Int? {
    editor.finish()
    toast.hide()
    return change()
  }

  /// Shows the note that was undone or redone.
  private func show(changed id: Int?) {
    guard let id else { return }
    if notes[id] == nil {
      if editor.id == id { select(nil) }
    } else if editor.id == id {
      editor.reload()
    } else {
      select(id)
    }
  }

  /// Deletes the note, and selects the next one.
  private func deleteSelected() {
    guard let id = editor.id, let note = notes[id] else { return }
    editor.finish()
    let position = sidebar.list.position(of: id)
    notes.delete(id)
    select(nil)
    if let position {
      select(sidebar.list.id(at: position) ?? sidebar.list.id(at: position - 1))
    }
    if gtk_widget_get_focus_child(sidebar.widget) != nil { sidebar.focusSelected() }
    toast.show("“\(note.title.prefix(40))” was deleted")
  }

  private func choose(_ parameter: OpaquePointer?) {
    guard let parameter, let word = g_variant_get_string(parameter, nil),
      let choice = Appearance.Choice(rawValue: String(cString: word))
    else { return }
    appearance.choose(choice)
    g_simple_action_set_state(actions["appearance"], parameter)
  }
}

private func gtkActionActivated(_ action: Pointer?, _ parameter: Pointer?, _ data: Pointer?) {
  guard let action, let name = g_action_get_name(OpaquePointer(action)) else { return }
  let word = String(cString: name)
  handle(data, as: NotesWindow.self) { $0.perform(word, parameter.map { OpaquePointer($0) }) }
}
