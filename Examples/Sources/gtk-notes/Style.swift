import CGTKHeaders

/// The looks that GTK's theme does not have. The colours follow the theme.
enum Style {
  private static let css = """
    .notes-sidebar { background: alpha(@theme_fg_color, 0.04); }
    .notes-sidebar listview { background: transparent; }
    .notes-sidebar listview > row { border-radius: 8px; margin: 1px 6px; padding: 0; }
    .notes-sidebar listview > row:hover { background: alpha(@theme_fg_color, 0.05); }
    .notes-sidebar listview > row:selected { background: alpha(@theme_fg_color, 0.11); }
    .notes-sidebar listview:focus-within > row:selected {
      background: @theme_selected_bg_color; color: @theme_selected_fg_color; }
    .notes-sidebar listview:focus-within > row:selected .note-detail { opacity: 0.85; }
    .note-row { padding: 8px 10px; }
    .note-title { font-weight: 600; }
    .note-detail { font-size: 0.88em; opacity: 0.62; }
    .notes-status { padding: 8px 14px; border-top: 1px solid alpha(@theme_fg_color, 0.1); }
    .notes-status button { min-height: 0; padding: 2px 8px; }
    .failure { color: @error_color; opacity: 1; }
    .note-text { font-size: 1.08em; background: @theme_base_color; }
    .hint-title { font-size: 1.3em; font-weight: 600; opacity: 0.55; }
    .hint-detail { opacity: 0.55; }
    .toast { background: #3d3846; color: white; border-radius: 10px; margin: 18px;
             padding: 8px 8px 8px 18px; }
    .toast button { color: white; background: alpha(white, 0.16); border: none; box-shadow: none;
                    text-shadow: none; }
    """

  static func add(to display: OpaquePointer) {
    let provider: UnsafeMutablePointer<GtkCssProvider> = gtk_css_provider_new()
    gtk_css_provider_load_from_data(provider, css, -1)
    gtk_style_context_add_provider_for_display(
      display,
      OpaquePointer(provider),
      guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION)
    )
    g_object_unref(provider)
  }
}
