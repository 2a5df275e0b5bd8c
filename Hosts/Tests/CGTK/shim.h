// The functions of GTK 4 that gtk-host calls. GTK's own headers are not used, because only
// pkg-config knows their folders, and SwiftPM warns about its -pthread. Tests/Parts of the
// root package has a program with these headers.
#ifndef CGTK_SHIM_H
#define CGTK_SHIM_H

typedef struct _GtkWidget GtkWidget;

int gtk_init_check(void);
GtkWidget *gtk_window_new(void);
void gtk_window_set_title(GtkWidget *window, const char *title);
void gtk_window_set_default_size(GtkWidget *window, int width, int height);
void gtk_window_set_child(GtkWidget *window, GtkWidget *child);
void gtk_window_present(GtkWidget *window);
void gtk_window_destroy(GtkWidget *window);
GtkWidget *gtk_label_new(const char *text);
void gtk_label_set_text(GtkWidget *label, const char *text);

#endif
