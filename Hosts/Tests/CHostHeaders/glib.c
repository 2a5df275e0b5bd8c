// Compiles GLibHost's C code after GLib's own headers. A declaration that differs from
// GLib's is an error. No program links this file.
#include <glib-object.h>

#include "../../Sources/CGLibHost/glib-host.c"
