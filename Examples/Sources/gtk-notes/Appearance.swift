import CGTKHeaders
import Foundation

/// Light or dark, as the user or the system chooses. The user's choice is remembered in a
/// file.
final class Appearance {
  enum Choice: String {
    case system, light, dark
  }

  private(set) var choice: Choice
  private let file: String
  private let settings: OpaquePointer
  // GTK's own setting, from its settings file.
  private let isDarkByDefault: Bool
  private var systemIsDark: Bool?
  private var portal: UnsafeMutablePointer<GDBusProxy>?

  init(file: String) {
    self.file = file
    settings = gtk_settings_get_default()
    isDarkByDefault = Self.isDark(settings)
    let saved = try? String(contentsOfFile: file, encoding: .utf8)
    choice = saved.flatMap { Choice(rawValue: $0.trimmingCharacters(in: .newlines)) } ?? .system
    apply()
    followSystem()
  }

  deinit { if let portal { g_object_unref(portal) } }

  /// Shows and remembers a choice.
  func choose(_ choice: Choice) {
    self.choice = choice
    apply()
    // Not saved if the folder is not writable. Saving the notes reports that.
    try? "\(choice.rawValue)\n".write(toFile: file, atomically: true, encoding: .utf8)
  }

  private func apply() {
    let isDark =
      switch choice {
      case .light: false
      case .dark: true
      case .system: systemIsDark ?? isDarkByDefault
      }
    var value = GValue()
    g_value_init(&value, gTypeBoolean)
    g_value_set_boolean(&value, isDark ? 1 : 0)
    g_object_set_property(cast(settings), Self.property, &value)
  }

  /// Asks the desktop's settings portal, which all desktops of today have. Without a session
  /// bus, GTK's own setting counts.
  private func followSystem() {
    g_dbus_proxy_new_for_bus(
      G_BUS_TYPE_SESSION,
      G_DBUS_PROXY_FLAGS_DO_NOT_LOAD_PROPERTIES,
      nil,
      "org.freedesktop.portal.Desktop",
      "/org/freedesktop/portal/desktop",
      "org.freedesktop.portal.Settings",
      nil,
      gtkPortalFound,
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  fileprivate func found(_ proxy: UnsafeMutablePointer<GDBusProxy>) {
    portal = proxy
    connect(proxy, "g-signal", erased: unsafeBitCast(signalled, to: GCallback.self), self)
    var words = [g_variant_new_string(Self.namespace), g_variant_new_string(Self.key)]
    g_dbus_proxy_call(
      proxy,
      "Read",
      g_variant_new_tuple(&words, 2),
      G_DBUS_CALL_FLAGS_NONE,
      -1,
      nil,
      gtkPortalAnswered,
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  /// 1 is dark, 2 is light, and 0 is no preference.
  fileprivate func systemChose(_ scheme: UInt32) {
    systemIsDark = scheme == 0 ? nil : scheme == 1
    apply()
  }

  fileprivate static let namespace = "org.freedesktop.appearance"
  fileprivate static let key = "color-scheme"
  private static let property = "gtk-application-prefer-dark-theme"

  private static func isDark(_ settings: OpaquePointer) -> Bool {
    var value = GValue()
    g_value_init(&value, gTypeBoolean)
    g_object_get_property(cast(settings), property, &value)
    return g_value_get_boolean(&value) != 0
  }
}

// Answers of the bus. The appearance lives as long as the program.

private func gtkPortalFound(
  _: UnsafeMutablePointer<GObject>?,
  _ result: OpaquePointer?,
  _ data: Pointer?
) {
  guard let proxy = g_dbus_proxy_new_for_bus_finish(result, nil) else { return }
  handle(data, as: Appearance.self) { $0.found(proxy) }
}

private func gtkPortalAnswered(
  _ proxy: UnsafeMutablePointer<GObject>?,
  _ result: OpaquePointer?,
  _ data: Pointer?
) {
  guard let proxy, let answer = g_dbus_proxy_call_finish(cast(proxy), result, nil) else { return }
  defer { g_variant_unref(answer) }
  if let scheme = number(in: answer) {
    handle(data, as: Appearance.self) { $0.systemChose(scheme) }
  }
}

private typealias PortalHandler =
  @convention(c) (
    Pointer?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, OpaquePointer?, Pointer?
  ) -> Void

/// SettingChanged(namespace, key, value).
private let signalled: PortalHandler = { _, _, signal, parameters, data in
  guard let signal, let parameters, String(cString: signal) == "SettingChanged",
    g_variant_n_children(parameters) == 3, text(in: parameters, 0) == Appearance.namespace,
    text(in: parameters, 1) == Appearance.key, let scheme = number(in: parameters)
  else { return }
  handle(data, as: Appearance.self) { $0.systemChose(scheme) }
}

private func text(in tuple: OpaquePointer, _ index: Int) -> String? {
  guard let child = g_variant_get_child_value(tuple, gsize(index)) else { return nil }
  defer { g_variant_unref(child) }
  guard isString(child) else { return nil }
  return g_variant_get_string(child, nil).map { String(cString: $0) }
}

private func isString(_ value: OpaquePointer) -> Bool {
  g_variant_classify(value) == G_VARIANT_CLASS_STRING
}

/// The number in the last child, which may be a variant in a variant.
private func number(in tuple: OpaquePointer) -> UInt32? {
  let count = g_variant_n_children(tuple)
  guard count > 0, var value = g_variant_get_child_value(tuple, count - 1) else { return nil }
  defer { g_variant_unref(value) }
  while g_variant_classify(value) == G_VARIANT_CLASS_VARIANT,
    let inner = g_variant_get_variant(value)
  {
    g_variant_unref(value)
    value = inner
  }
  return g_variant_classify(value) == G_VARIANT_CLASS_UINT32 ? g_variant_get_uint32(value) : nil
}
