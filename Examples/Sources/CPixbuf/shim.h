// The gdk-pixbuf functions that thumbnails and its tests call. They are declared here
// because the path of gdk-pixbuf's headers is known only to pkg-config, whose output
// contains -pthread, and SwiftPM warns about that flag.
#ifndef CPIXBUF_SHIM_H
#define CPIXBUF_SHIM_H

#include <stddef.h>
#include <stdint.h>

typedef struct _GdkPixbuf GdkPixbuf;

typedef struct _GError {
  uint32_t domain;
  int code;
  char *message;
} GError;

// GDK_INTERP_BILINEAR. When a picture shrinks, each pixel is the mean of the source
// pixels that it covers.
static const int lt_pixbuf_bilinear = 2;

GdkPixbuf *gdk_pixbuf_new(int colorspace, int has_alpha, int bits, int width, int height);
GdkPixbuf *gdk_pixbuf_new_from_file(const char *path, GError **error);
GdkPixbuf *gdk_pixbuf_apply_embedded_orientation(GdkPixbuf *pixbuf);
GdkPixbuf *gdk_pixbuf_scale_simple(const GdkPixbuf *source, int width, int height, int how);
int gdk_pixbuf_get_width(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_height(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_rowstride(const GdkPixbuf *pixbuf);
unsigned char *gdk_pixbuf_get_pixels(const GdkPixbuf *pixbuf);
int gdk_pixbuf_save_to_bufferv(GdkPixbuf *pixbuf, char **buffer, size_t *size, const char *type,
                               char **keys, char **values, GError **error);
int gdk_pixbuf_savev(GdkPixbuf *pixbuf, const char *path, const char *type, char **keys,
                     char **values, GError **error);
void g_object_unref(void *object);
void g_error_free(GError *error);
void g_free(void *memory);

#endif
