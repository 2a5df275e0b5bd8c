// The part of Cairo that AsyncDisplay calls. It is declared here because
// Cairo's headers are in a folder that only pkg-config knows, and the flags in
// Pango's .pc file make SwiftPM warn.
//
// All names are our own, so that a program can also import Cairo's headers.
// Tests/Headers compares these declarations with the headers.
#ifndef AD_CAIRO_SHIM_H
#define AD_CAIRO_SHIM_H

// Declares `ad_name`, which is the library's function `name`.
#ifndef AD_FUNCTION
#define AD_QUOTED(text) #text
#define AD_LABEL(prefix, name) AD_QUOTED(prefix) #name
#define AD_FUNCTION(result, name, ...) \
  result ad_##name(__VA_ARGS__) __asm__(AD_LABEL(__USER_LABEL_PREFIX__, name))
#endif

#ifndef AD_HEADERS
typedef struct ad_cairo ad_cairo_t;
typedef struct ad_cairo_surface ad_cairo_surface_t;
typedef struct ad_cairo_pattern ad_cairo_pattern_t;

// The struct is defined here because callers allocate it.
typedef struct {
  double xx, yx, xy, yy, x0, y0;
} ad_cairo_matrix_t;
#endif

// CAIRO_FORMAT_ARGB32: premultiplied, one native 32-bit word per pixel.
static const int ad_cairo_argb32 = 0;
static const unsigned ad_cairo_status_success = 0;
// CAIRO_OPERATOR_SOURCE and _OVER.
static const unsigned ad_cairo_source = 1;
static const unsigned ad_cairo_over = 2;
// CAIRO_FILTER_GOOD, which averages pixels when it downscales, and _NEAREST.
static const unsigned ad_cairo_good = 1;
static const unsigned ad_cairo_nearest = 3;
// CAIRO_EXTEND_PAD.
static const unsigned ad_cairo_pad = 3;

AD_FUNCTION(ad_cairo_surface_t *, cairo_image_surface_create_for_data, unsigned char *data,
            int format, int width, int height, int stride);
AD_FUNCTION(unsigned, cairo_surface_status, ad_cairo_surface_t *surface);
AD_FUNCTION(void, cairo_surface_flush, ad_cairo_surface_t *surface);
AD_FUNCTION(void, cairo_surface_finish, ad_cairo_surface_t *surface);
AD_FUNCTION(void, cairo_surface_destroy, ad_cairo_surface_t *surface);

AD_FUNCTION(ad_cairo_t *, cairo_create, ad_cairo_surface_t *target);
AD_FUNCTION(void, cairo_destroy, ad_cairo_t *context);
AD_FUNCTION(unsigned, cairo_status, ad_cairo_t *context);
AD_FUNCTION(const char *, cairo_status_to_string, unsigned status);
AD_FUNCTION(void, cairo_save, ad_cairo_t *context);
AD_FUNCTION(void, cairo_restore, ad_cairo_t *context);
AD_FUNCTION(void, cairo_push_group, ad_cairo_t *context);
AD_FUNCTION(void, cairo_pop_group_to_source, ad_cairo_t *context);

AD_FUNCTION(void, cairo_get_matrix, ad_cairo_t *context, ad_cairo_matrix_t *matrix);
AD_FUNCTION(void, cairo_set_matrix, ad_cairo_t *context, const ad_cairo_matrix_t *matrix);
AD_FUNCTION(void, cairo_identity_matrix, ad_cairo_t *context);
AD_FUNCTION(void, cairo_translate, ad_cairo_t *context, double x, double y);
AD_FUNCTION(void, cairo_scale, ad_cairo_t *context, double x, double y);

AD_FUNCTION(void, cairo_new_path, ad_cairo_t *context);
AD_FUNCTION(void, cairo_new_sub_path, ad_cairo_t *context);
AD_FUNCTION(void, cairo_close_path, ad_cairo_t *context);
AD_FUNCTION(void, cairo_move_to, ad_cairo_t *context, double x, double y);
AD_FUNCTION(void, cairo_line_to, ad_cairo_t *context, double x, double y);
AD_FUNCTION(void, cairo_rectangle, ad_cairo_t *context, double x, double y, double width,
            double height);
AD_FUNCTION(void, cairo_arc, ad_cairo_t *context, double x, double y, double radius, double from,
            double to);
AD_FUNCTION(void, cairo_clip, ad_cairo_t *context);
AD_FUNCTION(void, cairo_clip_extents, ad_cairo_t *context, double *left, double *top, double *right,
            double *bottom);
AD_FUNCTION(void, cairo_fill, ad_cairo_t *context);
AD_FUNCTION(void, cairo_stroke, ad_cairo_t *context);
AD_FUNCTION(void, cairo_set_line_width, ad_cairo_t *context, double width);
AD_FUNCTION(void, cairo_paint, ad_cairo_t *context);
AD_FUNCTION(void, cairo_paint_with_alpha, ad_cairo_t *context, double alpha);
AD_FUNCTION(void, cairo_mask_surface, ad_cairo_t *context, ad_cairo_surface_t *surface, double x,
            double y);

AD_FUNCTION(void, cairo_set_operator, ad_cairo_t *context, unsigned how);
AD_FUNCTION(void, cairo_set_source_rgba, ad_cairo_t *context, double red, double green, double blue,
            double alpha);
AD_FUNCTION(void, cairo_set_source, ad_cairo_t *context, ad_cairo_pattern_t *pattern);
AD_FUNCTION(void, cairo_set_source_surface, ad_cairo_t *context, ad_cairo_surface_t *surface,
            double x, double y);
AD_FUNCTION(ad_cairo_pattern_t *, cairo_get_source, ad_cairo_t *context);
AD_FUNCTION(void, cairo_pattern_set_filter, ad_cairo_pattern_t *pattern, unsigned filter);
AD_FUNCTION(void, cairo_pattern_set_extend, ad_cairo_pattern_t *pattern, unsigned extend);
AD_FUNCTION(ad_cairo_pattern_t *, cairo_pattern_create_linear, double x0, double y0, double x1,
            double y1);
AD_FUNCTION(void, cairo_pattern_add_color_stop_rgba, ad_cairo_pattern_t *pattern, double offset,
            double red, double green, double blue, double alpha);
AD_FUNCTION(void, cairo_pattern_destroy, ad_cairo_pattern_t *pattern);

#endif
