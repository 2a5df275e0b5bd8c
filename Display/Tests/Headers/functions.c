// Declares the functions of CDisplayCairo and CDisplayPango again, after the
// libraries' own headers. A declaration that differs from a header's is an
// error. The step `display` compiles this file, and no program links it.
#include <pango/pangocairo.h>

#define AD_HEADERS
#define AD_FUNCTION(result, name, ...) result name(__VA_ARGS__)

typedef cairo_t ad_cairo_t;
typedef cairo_surface_t ad_cairo_surface_t;
typedef cairo_pattern_t ad_cairo_pattern_t;
typedef cairo_matrix_t ad_cairo_matrix_t;
typedef cairo_font_options_t ad_cairo_font_options_t;
typedef PangoContext ad_pango_context_t;
typedef PangoFontMap ad_pango_font_map_t;
typedef PangoLayout ad_pango_layout_t;
typedef PangoFontDescription ad_pango_font_t;
typedef PangoAttrList ad_pango_list_t;
typedef PangoLayoutIter ad_pango_iter_t;
typedef PangoLayoutLine ad_pango_line_t;
typedef PangoAttribute ad_pango_attribute_t;
typedef PangoRectangle ad_pango_rect_t;
typedef PangoAttrShape ad_pango_shape_t;

#include "../../Sources/CDisplayCairo/shim.h"
#include "../../Sources/CDisplayPango/shim.h"
