// The declarations of GLib, GObject and GTK 4 that the host uses, which are part of their
// stable ABI. Their headers are in folders that only pkg-config knows. A pkgConfig in the
// manifest would make SwiftPM warn in each package that depends on this one, where GLib is
// not installed.
//
// Tests/CHostHeaders compiles the host after GLib's own headers. The compiler then checks
// that both declare the same.
#ifndef LT_GLIB_ABI_H
#define LT_GLIB_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifndef __G_LIB_H__
typedef struct _GMainContext GMainContext;
typedef struct _GSource GSource;
typedef int (*GSourceFunc)(void *data);

typedef struct {
  int (*prepare)(GSource *source, int *timeout);
  int (*check)(GSource *source);
  int (*dispatch)(GSource *source, GSourceFunc callback, void *data);
  void (*finalize)(GSource *source);
  void *closure_callback;
  void *closure_marshal;
} GSourceFuncs;

// GLib declares the fields so that programs can append their own.
struct _GSource {
  void *callback_data;
  void *callback_funcs;
  const void *source_funcs;
  unsigned ref_count;
  GMainContext *context;
  int priority;
  unsigned flags;
  unsigned source_id;
  void *poll_fds;
  GSource *prev;
  GSource *next;
  char *name;
  void *priv;
};

enum { G_IO_IN = 1 };

typedef struct {
  uintptr_t g_type;
  union {
    void *v_pointer;
    uint64_t words;
  } data[2];
} GValue;

typedef struct _GSignalInvocationHint GSignalInvocationHint;
typedef int (*GSignalEmissionHook)(GSignalInvocationHint *hint, unsigned count,
                                   const GValue *values, void *data);
#endif

// They hold for both declarations.
#ifdef __LP64__
_Static_assert(sizeof(GSourceFuncs) == 48, "GSourceFuncs");
_Static_assert(sizeof(GSource) == 96 && offsetof(GSource, priv) == 88, "GSource");
_Static_assert(sizeof(GValue) == 24 && offsetof(GValue, data) == 8, "GValue");
#endif
_Static_assert(G_IO_IN == 1, "G_IO_IN");

GSource *g_source_new(GSourceFuncs *functions, unsigned size);
void g_source_set_name(GSource *source, const char *name);
void g_source_set_priority(GSource *source, int priority);
void *g_source_add_unix_fd(GSource *source, int descriptor, unsigned events);
unsigned g_source_query_unix_fd(GSource *source, void *tag);
unsigned g_source_attach(GSource *source, GMainContext *context);
void g_source_destroy(GSource *source);
void g_source_unref(GSource *source);
void g_main_context_wakeup(GMainContext *context);

uintptr_t g_type_from_name(const char *name);
void *g_type_class_peek(uintptr_t type);
unsigned g_signal_lookup(const char *name, uintptr_t type);
unsigned long g_signal_add_emission_hook(unsigned signal, uint32_t detail,
                                         GSignalEmissionHook function, void *data,
                                         void (*destroy)(void *data));
void g_signal_remove_emission_hook(unsigned signal, unsigned long hook);

#endif
