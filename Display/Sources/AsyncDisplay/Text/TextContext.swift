import CPango

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Pango's fonts, of one thread.
///
/// A context and a font map that threads share hang: each thread that sets text has its
/// own, until it ends.
enum TextContext {
  /// The context of this thread.
  static var current: OpaquePointer {
    if let context = pthread_getspecific(key) { return OpaquePointer(context) }
    guard let context = make() else { trap("TextContext: Pango has no memory for a context") }
    pthread_setspecific(key, UnsafeMutableRawPointer(context))
    return context
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    require(pthread_key_create(&key, dropContext) == 0, "TextContext: no thread key left")
    return key
  }()

  private static func make() -> OpaquePointer? {
    guard let map = pango_cairo_font_map_new() else { return nil }
    // The context keeps the map.
    defer { g_object_unref(UnsafeMutableRawPointer(map)) }
    guard let context = pango_font_map_create_context(map) else { return nil }
    // Fixed, so that text has the same pixels on every thread and machine, and is as
    // wide at every scale.
    let options = cairo_font_options_create()
    cairo_font_options_set_antialias(options, ad_cairo_gray)
    cairo_font_options_set_hint_style(options, ad_cairo_hint_none)
    cairo_font_options_set_hint_metrics(options, ad_cairo_hint_metrics_off)
    pango_cairo_context_set_font_options(context, options)
    cairo_font_options_destroy(options)
    pango_context_set_round_glyph_positions(context, 0)
    return context
  }
}

#if canImport(Darwin)
  private func dropContext(_ context: UnsafeMutableRawPointer) { g_object_unref(context) }
#else
  private func dropContext(_ context: UnsafeMutableRawPointer?) { g_object_unref(context) }
#endif
