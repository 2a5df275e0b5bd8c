// GLib's own headers, as a program imports them beside GLibHost.
#include <glib-object.h>
