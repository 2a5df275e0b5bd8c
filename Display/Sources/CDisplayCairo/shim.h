// The part of Cairo that AsyncDisplay calls. It is declared here because
// Cairo's headers are in a folder that only pkg-config knows, and the flags in
// Pango's .pc file make SwiftPM warn.
#ifndef CCAIRO_SHIM_H
#define CCAIRO_SHIM_H

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;
typedef struct _cairo_pattern cairo_pattern_t;

// CAIRO_FORMAT_ARGB32: premultiplied, one native 32-bit word per pixel.
static const int ad_cairo_argb32 = 0;
static const int ad_cairo_status_success = 0;
// CAIRO_OPERATOR_SOURCE and _OVER.
static const int ad_cairo_source = 1;
static const int ad_cairo_over = 2;
// CAIRO_FILTER_GOOD, which averages pixels when it downscales, and _NEAREST.
static const int ad_cairo_good = 1;
static const int ad_cairo_nearest = 3;
// CAIRO_EXTEND_PAD.
static const int ad_cairo_pad = 3;

cairo_surface_t *cairo_image_surface_create_for_data(unsigned char *data, int format, int width,
                                                     int height, int stride);
int cairo_surface_status(cairo_surface_t *surface);
void cairo_surface_flush(cairo_surface_t *surface);
void cairo_surface_finish(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);

cairo_t *cairo_create(cairo_surface_t *target);
void cairo_destroy(cairo_t *context);
int cairo_status(cairo_t *context);
const char *cairo_status_to_string(int status);
void cairo_save(cairo_t *context);
void cairo_restore(cairo_t *context);
void cairo_push_group(cairo_t *context);
void cairo_pop_group_to_source(cairo_t *context);

// The struct is defined here because callers allocate it.
typedef struct {
  double xx, yx, xy, yy, x0, y0;
} cairo_matrix_t;

void cairo_get_matrix(cairo_t *context, cairo_matrix_t *matrix);
void cairo_set_matrix(cairo_t *context, const cairo_matrix_t *matrix);
void cairo_identity_matrix(cairo_t *context);
void cairo_translate(cairo_t *context, double x, double y);
void cairo_scale(cairo_t *context, double x, double y);

void cairo_new_path(cairo_t *context);
void cairo_new_sub_path(cairo_t *context);
void cairo_close_path(cairo_t *context);
void cairo_move_to(cairo_t *context, double x, double y);
void cairo_line_to(cairo_t *context, double x, double y);
void cairo_rectangle(cairo_t *context, double x, double y, double width, double height);
void cairo_arc(cairo_t *context, double x, double y, double radius, double from, double to);
void cairo_clip(cairo_t *context);
void cairo_clip_extents(cairo_t *context, double *left, double *top, double *right,
                        double *bottom);
void cairo_fill(cairo_t *context);
void cairo_stroke(cairo_t *context);
void cairo_set_line_width(cairo_t *context, double width);
void cairo_paint(cairo_t *context);
void cairo_paint_with_alpha(cairo_t *context, double alpha);
void cairo_mask_surface(cairo_t *context, cairo_surface_t *surface, double x, double y);

void cairo_set_operator(cairo_t *context, int how);
void cairo_set_source_rgba(cairo_t *context, double red, double green, double blue, double alpha);
void cairo_set_source(cairo_t *context, cairo_pattern_t *pattern);
void cairo_set_source_surface(cairo_t *context, cairo_surface_t *surface, double x, double y);
cairo_pattern_t *cairo_get_source(cairo_t *context);
void cairo_pattern_set_filter(cairo_pattern_t *pattern, int filter);
void cairo_pattern_set_extend(cairo_pattern_t *pattern, int extend);
cairo_pattern_t *cairo_pattern_create_linear(double x0, double y0, double x1, double y1);
void cairo_pattern_add_color_stop_rgba(cairo_pattern_t *pattern, double offset, double red,
                                       double green, double blue, double alpha);
void cairo_pattern_destroy(cairo_pattern_t *pattern);

#endif
