// The GTK 4 functions that the examples call. They are declared here because the path
// of GTK's headers is known only to pkg-config, whose output contains -pthread, and
// SwiftPM warns about that flag.
#ifndef CGTK_SHIM_H
#define CGTK_SHIM_H

typedef struct _GtkWidget GtkWidget;
typedef struct _GMainLoop GMainLoop;
typedef struct _GdkFrameClock GdkFrameClock;
typedef struct _GtkEventController GtkEventController;
typedef void (*lt_gtk_callback)(void);

static const int lt_gtk_horizontal = 0;
static const int lt_gtk_vertical = 1;
// GTK_PHASE_CAPTURE: the controller receives events before the child widgets do.
static const int lt_gtk_capture = 1;
static const unsigned lt_gdk_escape = 0xff1b;
// GDK_FRAME_CLOCK_PHASE_UPDATE.
static const unsigned lt_gdk_update = 1 << 2;

int gtk_init_check(void);

GtkWidget *gtk_window_new(void);
void gtk_window_set_title(GtkWidget *window, const char *title);
void gtk_window_set_default_size(GtkWidget *window, int width, int height);
void gtk_window_set_child(GtkWidget *window, GtkWidget *child);
void gtk_window_present(GtkWidget *window);

GtkWidget *gtk_box_new(int orientation, int spacing);
void gtk_box_append(GtkWidget *box, GtkWidget *child);

GtkWidget *gtk_entry_new(void);
void gtk_entry_set_placeholder_text(GtkWidget *entry, const char *text);
const char *gtk_editable_get_text(GtkWidget *editable);
void gtk_editable_set_text(GtkWidget *editable, const char *text);

GtkWidget *gtk_list_box_new(void);
void gtk_list_box_append(GtkWidget *list, GtkWidget *row);

GtkWidget *gtk_label_new(const char *text);
void gtk_label_set_text(GtkWidget *label, const char *text);
void gtk_label_set_xalign(GtkWidget *label, float alignment);

GtkWidget *gtk_scrolled_window_new(void);
void gtk_scrolled_window_set_child(GtkWidget *window, GtkWidget *child);

void gtk_widget_set_vexpand(GtkWidget *widget, int expands);
void gtk_widget_set_margin_start(GtkWidget *widget, int margin);
void gtk_widget_set_margin_end(GtkWidget *widget, int margin);
void gtk_widget_set_margin_top(GtkWidget *widget, int margin);
void gtk_widget_set_margin_bottom(GtkWidget *widget, int margin);
int gtk_widget_grab_focus(GtkWidget *widget);
void gtk_widget_add_controller(GtkWidget *widget, GtkEventController *controller);
GtkEventController *gtk_event_controller_key_new(void);
void gtk_event_controller_set_propagation_phase(GtkEventController *controller, int phase);
void gtk_window_destroy(GtkWidget *window);

GdkFrameClock *gtk_widget_get_frame_clock(GtkWidget *widget);
void gdk_frame_clock_request_phase(GdkFrameClock *clock, unsigned phase);

unsigned long g_signal_connect_data(void *instance, const char *signal, lt_gtk_callback handler,
                                    void *data, void *destroy, int flags);

GMainLoop *g_main_loop_new(void *context, int is_running);
void g_main_loop_run(GMainLoop *loop);
void g_main_loop_quit(GMainLoop *loop);
void g_main_loop_unref(GMainLoop *loop);

#endif
