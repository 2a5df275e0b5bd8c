// The part of Pango that AsyncDisplay calls. It is declared here because
// Pango's headers are in a folder that only pkg-config knows, and SwiftPM warns
// about the other flags in Pango's .pc file.
#ifndef CPANGO_SHIM_H
#define CPANGO_SHIM_H

#include <stdint.h>

typedef struct _cairo cairo_t;
typedef struct _cairo_font_options cairo_font_options_t;
typedef struct _PangoContext PangoContext;
typedef struct _PangoFontMap PangoFontMap;
typedef struct _PangoLayout PangoLayout;
typedef struct _PangoFontDescription PangoFontDescription;
typedef struct _PangoAttrList PangoAttrList;
typedef struct _PangoLayoutIter PangoLayoutIter;
typedef struct _PangoLayoutLine PangoLayoutLine;

// The public part of PangoAttribute.
typedef struct _PangoAttribute {
  const void *klass;
  unsigned int start_index;
  unsigned int end_index;
} PangoAttribute;

typedef struct _PangoRectangle {
  int x;
  int y;
  int width;
  int height;
} PangoRectangle;

typedef struct _PangoAttrShape {
  PangoAttribute attr;
  PangoRectangle ink_rect;
  PangoRectangle logical_rect;
  void *data;
  void *(*copy_func)(const void *data);
  void (*destroy_func)(void *data);
} PangoAttrShape;

// PangoCairoShapeRendererFunc.
typedef void (*ad_shape_renderer)(cairo_t *context, PangoAttrShape *shape, int is_path, void *data);

// PANGO_SCALE.
static const int ad_pango_scale = 1024;
// PANGO_ALIGN_.
static const int ad_pango_left = 0;
static const int ad_pango_center = 1;
static const int ad_pango_right = 2;
// PANGO_ELLIPSIZE_.
static const int ad_pango_ellipsize_none = 0;
static const int ad_pango_ellipsize_start = 1;
static const int ad_pango_ellipsize_middle = 2;
static const int ad_pango_ellipsize_end = 3;
// PANGO_WRAP_WORD_CHAR.
static const int ad_pango_wrap_word_char = 2;
// PANGO_STYLE_ITALIC.
static const int ad_pango_italic = 2;
// PANGO_UNDERLINE_SINGLE.
static const int ad_pango_underline = 1;
// CAIRO_ANTIALIAS_GRAY, CAIRO_HINT_STYLE_NONE, CAIRO_HINT_METRICS_OFF.
static const int ad_cairo_gray = 2;
static const int ad_cairo_hint_none = 1;
static const int ad_cairo_hint_metrics_off = 1;

cairo_font_options_t *cairo_font_options_create(void);
void cairo_font_options_set_antialias(cairo_font_options_t *options, int antialias);
void cairo_font_options_set_hint_style(cairo_font_options_t *options, int style);
void cairo_font_options_set_hint_metrics(cairo_font_options_t *options, int metrics);
void cairo_font_options_destroy(cairo_font_options_t *options);

PangoFontMap *pango_cairo_font_map_new(void);
PangoContext *pango_font_map_create_context(PangoFontMap *map);
void pango_cairo_context_set_font_options(PangoContext *context,
                                          const cairo_font_options_t *options);
void pango_cairo_context_set_resolution(PangoContext *context, double dots);
void pango_context_set_round_glyph_positions(PangoContext *context, int rounds);

PangoFontDescription *pango_font_description_new(void);
void pango_font_description_set_family(PangoFontDescription *font, const char *family);
void pango_font_description_set_absolute_size(PangoFontDescription *font, double size);
void pango_font_description_set_weight(PangoFontDescription *font, int weight);
void pango_font_description_set_style(PangoFontDescription *font, int style);
void pango_font_description_free(PangoFontDescription *font);

PangoAttrList *pango_attr_list_new(void);
void pango_attr_list_insert(PangoAttrList *list, PangoAttribute *attribute);
void pango_attr_list_unref(PangoAttrList *list);
PangoAttribute *pango_attr_font_desc_new(const PangoFontDescription *font);
PangoAttribute *pango_attr_foreground_new(uint16_t red, uint16_t green, uint16_t blue);
PangoAttribute *pango_attr_foreground_alpha_new(uint16_t alpha);
PangoAttribute *pango_attr_fallback_new(int enabled);
PangoAttribute *pango_attr_underline_new(int underline);
PangoAttribute *pango_attr_letter_spacing_new(int spacing);
PangoAttribute *pango_attr_shape_new_with_data(const PangoRectangle *ink,
                                               const PangoRectangle *logical, void *data,
                                               void *(*copy)(const void *data),
                                               void (*destroy)(void *data));
void pango_cairo_context_set_shape_renderer(PangoContext *context, ad_shape_renderer renderer,
                                            void *data, void (*destroy)(void *data));

PangoLayout *pango_layout_new(PangoContext *context);
void pango_layout_set_text(PangoLayout *layout, const char *text, int length);
void pango_layout_set_attributes(PangoLayout *layout, PangoAttrList *list);
void pango_layout_set_width(PangoLayout *layout, int width);
void pango_layout_set_height(PangoLayout *layout, int height);
void pango_layout_set_wrap(PangoLayout *layout, int wrap);
void pango_layout_set_ellipsize(PangoLayout *layout, int how);
void pango_layout_set_alignment(PangoLayout *layout, int alignment);
void pango_layout_set_justify(PangoLayout *layout, int justify);
void pango_layout_set_spacing(PangoLayout *layout, int spacing);
int pango_layout_get_line_count(PangoLayout *layout);
int pango_layout_is_ellipsized(PangoLayout *layout);
int pango_layout_get_unknown_glyphs_count(PangoLayout *layout);
int pango_layout_line_get_start_index(PangoLayoutLine *line);
int pango_layout_line_get_length(PangoLayoutLine *line);
void pango_layout_get_extents(PangoLayout *layout, PangoRectangle *ink, PangoRectangle *logical);

PangoLayoutIter *pango_layout_get_iter(PangoLayout *layout);
PangoLayoutLine *pango_layout_iter_get_line_readonly(PangoLayoutIter *iter);
void pango_layout_iter_get_line_extents(PangoLayoutIter *iter, PangoRectangle *ink,
                                        PangoRectangle *logical);
int pango_layout_iter_get_baseline(PangoLayoutIter *iter);
int pango_layout_iter_next_line(PangoLayoutIter *iter);
int pango_layout_iter_get_index(PangoLayoutIter *iter);
void pango_layout_iter_get_cluster_extents(PangoLayoutIter *iter, PangoRectangle *ink,
                                           PangoRectangle *logical);
int pango_layout_iter_next_cluster(PangoLayoutIter *iter);
void pango_layout_iter_free(PangoLayoutIter *iter);
void pango_cairo_show_layout_line(cairo_t *context, PangoLayoutLine *line);
void cairo_move_to(cairo_t *context, double x, double y);
void cairo_get_current_point(cairo_t *context, double *x, double *y);

void g_object_unref(void *object);

#endif
