// The functions of GTK 4 that ClientHost calls. They are declared here because the path
// of GTK's headers is known only to pkg-config, whose output contains -pthread, and
// SwiftPM warns about that flag.
#ifndef CGTK_SHIM_H
#define CGTK_SHIM_H

typedef struct _GtkWidget GtkWidget;
typedef struct _GMainLoop GMainLoop;

int gtk_init_check(void);
GtkWidget *gtk_window_new(void);
GtkWidget *gtk_label_new(const char *text);
void gtk_window_set_child(GtkWidget *window, GtkWidget *child);
void gtk_window_present(GtkWidget *window);

GMainLoop *g_main_loop_new(void *context, int is_running);
void g_main_loop_run(GMainLoop *loop);
void g_main_loop_quit(GMainLoop *loop);
void g_main_loop_unref(GMainLoop *loop);

#endif
