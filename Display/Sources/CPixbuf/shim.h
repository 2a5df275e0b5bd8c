// The part of gdk-pixbuf that CardFeed and the tests call. It is declared here
// because the headers of gdk-pixbuf are in a folder that only pkg-config knows,
// and SwiftPM warns about the -pthread in its .pc file.
#ifndef CPIXBUF_SHIM_H
#define CPIXBUF_SHIM_H

#include <stddef.h>
#include <stdint.h>

typedef struct _GdkPixbuf GdkPixbuf;
typedef struct _GdkPixbufLoader GdkPixbufLoader;

typedef struct _GError {
  uint32_t domain;
  int code;
  char *message;
} GError;

typedef void (*ad_size_prepared)(GdkPixbufLoader *loader, int width, int height, void *data);

GdkPixbufLoader *gdk_pixbuf_loader_new_with_type(const char *type, GError **error);
int gdk_pixbuf_loader_write(GdkPixbufLoader *loader, const unsigned char *bytes, size_t count,
                            GError **error);
int gdk_pixbuf_loader_close(GdkPixbufLoader *loader, GError **error);
void gdk_pixbuf_loader_set_size(GdkPixbufLoader *loader, int width, int height);
GdkPixbuf *gdk_pixbuf_loader_get_pixbuf(GdkPixbufLoader *loader);

GdkPixbuf *gdk_pixbuf_new(int colorspace, int has_alpha, int bits, int width, int height);
GdkPixbuf *gdk_pixbuf_apply_embedded_orientation(GdkPixbuf *pixbuf);
const char *gdk_pixbuf_get_option(GdkPixbuf *pixbuf, const char *key);
int gdk_pixbuf_get_width(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_height(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_rowstride(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_has_alpha(const GdkPixbuf *pixbuf);
int gdk_pixbuf_get_n_channels(const GdkPixbuf *pixbuf);
unsigned char *gdk_pixbuf_get_pixels(const GdkPixbuf *pixbuf);
int gdk_pixbuf_save_to_bufferv(GdkPixbuf *pixbuf, char **buffer, size_t *size, const char *type,
                               char **keys, char **values, GError **error);

// Declared for the callback of "size-prepared", the only signal in use.
unsigned long g_signal_connect_data(void *instance, const char *signal, ad_size_prepared callback,
                                    void *data, void *destroy, int flags);
void g_object_unref(void *object);
void g_error_free(GError *error);
void g_free(void *memory);

#endif
