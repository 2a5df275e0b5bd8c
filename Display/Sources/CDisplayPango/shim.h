// The part of Pango that AsyncDisplay calls. It is declared here because
// Pango's headers are in a folder that only pkg-config knows, and SwiftPM warns
// about the other flags in Pango's .pc file.
//
// All names are our own, so that a program can also import Pango's headers.
// Tests/Headers compares these declarations with the headers.
#ifndef AD_PANGO_SHIM_H
#define AD_PANGO_SHIM_H

#include <stdint.h>

#include "../CDisplayCairo/shim.h"

#ifndef AD_HEADERS
typedef struct ad_cairo_font_options ad_cairo_font_options_t;
typedef struct ad_pango_context ad_pango_context_t;
typedef struct ad_pango_font_map ad_pango_font_map_t;
typedef struct ad_pango_layout ad_pango_layout_t;
typedef struct ad_pango_font ad_pango_font_t;
typedef struct ad_pango_list ad_pango_list_t;
typedef struct ad_pango_iter ad_pango_iter_t;
typedef struct ad_pango_line ad_pango_line_t;

// The public part of PangoAttribute.
typedef struct {
  const void *klass;
  unsigned start_index;
  unsigned end_index;
} ad_pango_attribute_t;

// PangoRectangle.
typedef struct {
  int x;
  int y;
  int width;
  int height;
} ad_pango_rect_t;

// PangoAttrShape.
typedef struct {
  ad_pango_attribute_t attr;
  ad_pango_rect_t ink_rect;
  ad_pango_rect_t logical_rect;
  void *data;
  void *(*copy_func)(const void *data);
  void (*destroy_func)(void *data);
} ad_pango_shape_t;
#endif

// PangoCairoShapeRendererFunc.
typedef void (*ad_shape_renderer)(ad_cairo_t *context, ad_pango_shape_t *shape, int is_path,
                                  void *data);

// PANGO_SCALE.
static const int ad_pango_scale = 1024;
// PANGO_ALIGN_.
static const unsigned ad_pango_left = 0;
static const unsigned ad_pango_center = 1;
static const unsigned ad_pango_right = 2;
// PANGO_ELLIPSIZE_.
static const unsigned ad_pango_ellipsize_none = 0;
static const unsigned ad_pango_ellipsize_start = 1;
static const unsigned ad_pango_ellipsize_middle = 2;
static const unsigned ad_pango_ellipsize_end = 3;
// PANGO_WRAP_WORD_CHAR.
static const unsigned ad_pango_wrap_word_char = 2;
// PANGO_STYLE_ITALIC.
static const unsigned ad_pango_italic = 2;
// PANGO_UNDERLINE_SINGLE.
static const unsigned ad_pango_underline = 1;
// CAIRO_ANTIALIAS_GRAY, CAIRO_HINT_STYLE_NONE, CAIRO_HINT_METRICS_OFF.
static const unsigned ad_cairo_gray = 2;
static const unsigned ad_cairo_hint_none = 1;
static const unsigned ad_cairo_hint_metrics_off = 1;

AD_FUNCTION(ad_cairo_font_options_t *, cairo_font_options_create, void);
AD_FUNCTION(void, cairo_font_options_set_antialias, ad_cairo_font_options_t *options,
            unsigned antialias);
AD_FUNCTION(void, cairo_font_options_set_hint_style, ad_cairo_font_options_t *options,
            unsigned style);
AD_FUNCTION(void, cairo_font_options_set_hint_metrics, ad_cairo_font_options_t *options,
            unsigned metrics);
AD_FUNCTION(void, cairo_font_options_destroy, ad_cairo_font_options_t *options);

AD_FUNCTION(ad_pango_font_map_t *, pango_cairo_font_map_new, void);
AD_FUNCTION(ad_pango_context_t *, pango_font_map_create_context, ad_pango_font_map_t *map);
AD_FUNCTION(void, pango_cairo_context_set_font_options, ad_pango_context_t *context,
            const ad_cairo_font_options_t *options);
AD_FUNCTION(void, pango_cairo_context_set_resolution, ad_pango_context_t *context, double dots);
AD_FUNCTION(void, pango_context_set_round_glyph_positions, ad_pango_context_t *context, int rounds);

AD_FUNCTION(ad_pango_font_t *, pango_font_description_new, void);
AD_FUNCTION(void, pango_font_description_set_family, ad_pango_font_t *font, const char *family);
AD_FUNCTION(void, pango_font_description_set_absolute_size, ad_pango_font_t *font, double size);
AD_FUNCTION(void, pango_font_description_set_weight, ad_pango_font_t *font, unsigned weight);
AD_FUNCTION(void, pango_font_description_set_style, ad_pango_font_t *font, unsigned style);
AD_FUNCTION(void, pango_font_description_free, ad_pango_font_t *font);

AD_FUNCTION(ad_pango_list_t *, pango_attr_list_new, void);
AD_FUNCTION(void, pango_attr_list_insert, ad_pango_list_t *list, ad_pango_attribute_t *attribute);
AD_FUNCTION(void, pango_attr_list_unref, ad_pango_list_t *list);
AD_FUNCTION(ad_pango_attribute_t *, pango_attr_font_desc_new, const ad_pango_font_t *font);
AD_FUNCTION(ad_pango_attribute_t *, pango_attr_foreground_new, uint16_t red, uint16_t green,
            uint16_t blue);
AD_FUNCTION(ad_pango_attribute_t *, pango_attr_foreground_alpha_new, uint16_t alpha);
AD_FUNCTION(ad_pango_attribute_t *, pango_attr_fallback_new, int enabled);
AD_FUNCTION(ad_pango_attribute_t *, pango_attr_underline_new, unsigned underline);
AD_FUNCTION(ad_pango_attribute_t *, pango_attr_letter_spacing_new, int spacing);
AD_FUNCTION(ad_pango_attribute_t *, pango_attr_shape_new_with_data, const ad_pango_rect_t *ink,
            const ad_pango_rect_t *logical, void *data, void *(*copy)(const void *data),
            void (*destroy)(void *data));
AD_FUNCTION(void, pango_cairo_context_set_shape_renderer, ad_pango_context_t *context,
            ad_shape_renderer renderer, void *data, void (*destroy)(void *data));

AD_FUNCTION(ad_pango_layout_t *, pango_layout_new, ad_pango_context_t *context);
AD_FUNCTION(void, pango_layout_set_text, ad_pango_layout_t *layout, const char *text, int length);
AD_FUNCTION(void, pango_layout_set_attributes, ad_pango_layout_t *layout, ad_pango_list_t *list);
AD_FUNCTION(void, pango_layout_set_width, ad_pango_layout_t *layout, int width);
AD_FUNCTION(void, pango_layout_set_height, ad_pango_layout_t *layout, int height);
AD_FUNCTION(void, pango_layout_set_wrap, ad_pango_layout_t *layout, unsigned wrap);
AD_FUNCTION(void, pango_layout_set_ellipsize, ad_pango_layout_t *layout, unsigned how);
AD_FUNCTION(void, pango_layout_set_alignment, ad_pango_layout_t *layout, unsigned alignment);
AD_FUNCTION(void, pango_layout_set_justify, ad_pango_layout_t *layout, int justify);
AD_FUNCTION(void, pango_layout_set_spacing, ad_pango_layout_t *layout, int spacing);
AD_FUNCTION(int, pango_layout_get_line_count, ad_pango_layout_t *layout);
AD_FUNCTION(int, pango_layout_is_ellipsized, ad_pango_layout_t *layout);
AD_FUNCTION(int, pango_layout_get_unknown_glyphs_count, ad_pango_layout_t *layout);
AD_FUNCTION(int, pango_layout_line_get_start_index, ad_pango_line_t *line);
AD_FUNCTION(int, pango_layout_line_get_length, ad_pango_line_t *line);
AD_FUNCTION(void, pango_layout_get_extents, ad_pango_layout_t *layout, ad_pango_rect_t *ink,
            ad_pango_rect_t *logical);

AD_FUNCTION(ad_pango_iter_t *, pango_layout_get_iter, ad_pango_layout_t *layout);
AD_FUNCTION(ad_pango_line_t *, pango_layout_iter_get_line_readonly, ad_pango_iter_t *iter);
AD_FUNCTION(void, pango_layout_iter_get_line_extents, ad_pango_iter_t *iter, ad_pango_rect_t *ink,
            ad_pango_rect_t *logical);
AD_FUNCTION(int, pango_layout_iter_get_baseline, ad_pango_iter_t *iter);
AD_FUNCTION(int, pango_layout_iter_next_line, ad_pango_iter_t *iter);
AD_FUNCTION(int, pango_layout_iter_get_index, ad_pango_iter_t *iter);
AD_FUNCTION(void, pango_layout_iter_get_cluster_extents, ad_pango_iter_t *iter,
            ad_pango_rect_t *ink, ad_pango_rect_t *logical);
AD_FUNCTION(int, pango_layout_iter_next_cluster, ad_pango_iter_t *iter);
AD_FUNCTION(void, pango_layout_iter_free, ad_pango_iter_t *iter);
AD_FUNCTION(void, pango_cairo_show_layout_line, ad_cairo_t *context, ad_pango_line_t *line);
AD_FUNCTION(void, cairo_move_to, ad_cairo_t *context, double x, double y);
AD_FUNCTION(void, cairo_get_current_point, ad_cairo_t *context, double *x, double *y);

AD_FUNCTION(void, g_object_unref, void *object);

#endif
