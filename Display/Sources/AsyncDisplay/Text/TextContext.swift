import CDisplayPango

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Pango's context and font map for one thread.
///
/// Pango hangs if threads share them. Each thread that lays out text creates
/// its own context and font map, and keeps them until the thread ends.
enum TextContext {
  /// The context of the current thread.
  static var current: OpaquePointer {
    if let context = pthread_getspecific(key) { return OpaquePointer(context) }
    guard let context = make() else { trap("TextContext: out of memory for a Pango context") }
    pthread_setspecific(key, UnsafeMutableRawPointer(context))
    return context
  }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let result = pthread_key_create(&key, dropContext)
    require(result == 0, "TextContext: pthread_key_create failed: errno \(result)")
    return key
  }()

  private static func make() -> OpaquePointer? {
    guard let map = ad_pango_cairo_font_map_new() else { return nil }
    // The context retains the font map.
    defer { ad_g_object_unref(UnsafeMutableRawPointer(map)) }
    guard let context = ad_pango_font_map_create_context(map) else { return nil }
    // The font options are fixed, so that text has the same pixels on every
    // thread and machine, and the same width at every scale.
    let options = ad_cairo_font_options_create()
    ad_cairo_font_options_set_antialias(options, ad_cairo_gray)
    ad_cairo_font_options_set_hint_style(options, ad_cairo_hint_none)
    ad_cairo_font_options_set_hint_metrics(options, ad_cairo_hint_metrics_off)
    ad_pango_cairo_context_set_font_options(context, options)
    ad_cairo_font_options_destroy(options)
    ad_pango_context_set_round_glyph_positions(context, 0)
    return context
  }
}

#if canImport(Darwin)
  private func dropContext(_ context: UnsafeMutableRawPointer) { ad_g_object_unref(context) }
#else
  private func dropContext(_ context: UnsafeMutableRawPointer?) { ad_g_object_unref(context) }
#endif
