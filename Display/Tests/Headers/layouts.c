// Compares the structures and constants of CDisplayCairo and CDisplayPango with
// the libraries' own headers. A difference is an error. The step `display`
// compiles this file, and no program links it.
#include <pango/pangocairo.h>
#include <stddef.h>

#include "../../Sources/CDisplayCairo/shim.h"
#include "../../Sources/CDisplayPango/shim.h"

#define SAME_SIZE(own, real) _Static_assert(sizeof(own) == sizeof(real), #own)
#define SAME_MEMBER(own, real, member)                                        \
  _Static_assert(offsetof(own, member) == offsetof(real, member) &&           \
                     sizeof(((own *)0)->member) == sizeof(((real *)0)->member), \
                 #own "." #member)

SAME_SIZE(ad_cairo_matrix_t, cairo_matrix_t);
SAME_MEMBER(ad_cairo_matrix_t, cairo_matrix_t, xx);
SAME_MEMBER(ad_cairo_matrix_t, cairo_matrix_t, yx);
SAME_MEMBER(ad_cairo_matrix_t, cairo_matrix_t, xy);
SAME_MEMBER(ad_cairo_matrix_t, cairo_matrix_t, yy);
SAME_MEMBER(ad_cairo_matrix_t, cairo_matrix_t, x0);
SAME_MEMBER(ad_cairo_matrix_t, cairo_matrix_t, y0);

SAME_SIZE(ad_pango_rect_t, PangoRectangle);
SAME_MEMBER(ad_pango_rect_t, PangoRectangle, x);
SAME_MEMBER(ad_pango_rect_t, PangoRectangle, y);
SAME_MEMBER(ad_pango_rect_t, PangoRectangle, width);
SAME_MEMBER(ad_pango_rect_t, PangoRectangle, height);

SAME_SIZE(ad_pango_attribute_t, PangoAttribute);
SAME_MEMBER(ad_pango_attribute_t, PangoAttribute, klass);
SAME_MEMBER(ad_pango_attribute_t, PangoAttribute, start_index);
SAME_MEMBER(ad_pango_attribute_t, PangoAttribute, end_index);

SAME_SIZE(ad_pango_shape_t, PangoAttrShape);
SAME_MEMBER(ad_pango_shape_t, PangoAttrShape, attr);
SAME_MEMBER(ad_pango_shape_t, PangoAttrShape, ink_rect);
SAME_MEMBER(ad_pango_shape_t, PangoAttrShape, logical_rect);
SAME_MEMBER(ad_pango_shape_t, PangoAttrShape, data);
SAME_MEMBER(ad_pango_shape_t, PangoAttrShape, copy_func);
SAME_MEMBER(ad_pango_shape_t, PangoAttrShape, destroy_func);

_Static_assert(ad_cairo_argb32 == CAIRO_FORMAT_ARGB32, "format");
_Static_assert(ad_cairo_status_success == CAIRO_STATUS_SUCCESS, "status");
_Static_assert(ad_cairo_source == CAIRO_OPERATOR_SOURCE, "operator");
_Static_assert(ad_cairo_over == CAIRO_OPERATOR_OVER, "operator");
_Static_assert(ad_cairo_good == CAIRO_FILTER_GOOD, "filter");
_Static_assert(ad_cairo_nearest == CAIRO_FILTER_NEAREST, "filter");
_Static_assert(ad_cairo_pad == CAIRO_EXTEND_PAD, "extend");
_Static_assert(ad_cairo_gray == CAIRO_ANTIALIAS_GRAY, "antialias");
_Static_assert(ad_cairo_hint_none == CAIRO_HINT_STYLE_NONE, "hint style");
_Static_assert(ad_cairo_hint_metrics_off == CAIRO_HINT_METRICS_OFF, "hint metrics");

_Static_assert(ad_pango_scale == PANGO_SCALE, "scale");
_Static_assert(ad_pango_left == PANGO_ALIGN_LEFT, "alignment");
_Static_assert(ad_pango_center == PANGO_ALIGN_CENTER, "alignment");
_Static_assert(ad_pango_right == PANGO_ALIGN_RIGHT, "alignment");
_Static_assert(ad_pango_ellipsize_none == PANGO_ELLIPSIZE_NONE, "ellipsize");
_Static_assert(ad_pango_ellipsize_start == PANGO_ELLIPSIZE_START, "ellipsize");
_Static_assert(ad_pango_ellipsize_middle == PANGO_ELLIPSIZE_MIDDLE, "ellipsize");
_Static_assert(ad_pango_ellipsize_end == PANGO_ELLIPSIZE_END, "ellipsize");
_Static_assert(ad_pango_wrap_word_char == PANGO_WRAP_WORD_CHAR, "wrap");
_Static_assert(ad_pango_italic == PANGO_STYLE_ITALIC, "style");
_Static_assert(ad_pango_underline == PANGO_UNDERLINE_SINGLE, "underline");
