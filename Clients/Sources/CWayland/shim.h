// libwayland-client, and the requests of xdg-shell that make windows. The description of that
// protocol is not part of the library.
#ifndef CWAYLAND_SHIM_H
#define CWAYLAND_SHIM_H

#define _GNU_SOURCE
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wayland-client.h>

// The types of the arguments, which libwayland needs only to print messages.
static const struct wl_interface *lt_no_types[4] = {NULL};

static const struct wl_message lt_toplevel_requests[] = {
    {"destroy", "", lt_no_types}, {"set_parent", "?o", lt_no_types}, {"set_title", "s", lt_no_types}};
static const struct wl_message lt_toplevel_events[] = {
    {"configure", "iia", lt_no_types}, {"close", "", lt_no_types}};
static const struct wl_interface lt_toplevel = {
    "xdg_toplevel", 1, 3, lt_toplevel_requests, 2, lt_toplevel_events};

static const struct wl_message lt_role_requests[] = {
    {"destroy", "", lt_no_types},
    {"get_toplevel", "n", lt_no_types},
    {"get_popup", "n?oo", lt_no_types},
    {"set_window_geometry", "iiii", lt_no_types},
    {"ack_configure", "u", lt_no_types}};
static const struct wl_message lt_role_events[] = {{"configure", "u", lt_no_types}};
static const struct wl_interface lt_role = {
    "xdg_surface", 1, 5, lt_role_requests, 1, lt_role_events};

static const struct wl_message lt_shell_requests[] = {
    {"destroy", "", lt_no_types},
    {"create_positioner", "n", lt_no_types},
    {"get_xdg_surface", "no", lt_no_types},
    {"pong", "u", lt_no_types}};
static const struct wl_message lt_shell_events[] = {{"ping", "u", lt_no_types}};
static const struct wl_interface lt_shell = {
    "xdg_wm_base", 1, 4, lt_shell_requests, 1, lt_shell_events};

typedef void (*lt_event)(void *object, uint32_t value, const char *text);

// Passes the values of an object's first kind of event to the function. The others are not
// needed here.
static int lt_dispatch(const void *function, void *proxy, uint32_t kind,
                       const struct wl_message *event, union wl_argument *values) {
  if (kind == 0)
    ((lt_event)function)(wl_proxy_get_user_data(proxy), values[0].u,
                         event->signature[1] == 's' ? values[1].s : NULL);
  return 0;
}

// Calls `event` with `object` for the events of `proxy`.
static inline void lt_listen(struct wl_proxy *proxy, void *object, lt_event event) {
  wl_proxy_add_dispatcher(proxy, lt_dispatch, (const void *)event, object);
}

// The objects of a compositor.
typedef struct {
  struct wl_display *display;
  struct wl_registry *registry;
  struct wl_compositor *compositor;
  struct wl_proxy *shell;
  struct wl_shm *memory;
  // A picture of 16 × 16 grey pixels.
  struct wl_buffer *picture;
} lt_desktop;

// Connects to the compositor at `path`, and asks for its objects: `found` is called with the
// name and the kind of each. Returns whether it could connect.
static inline bool lt_connect(lt_desktop *desktop, const char *path, void *object, lt_event found) {
  desktop->display = wl_display_connect(path);
  if (!desktop->display) return false;
  desktop->registry = wl_display_get_registry(desktop->display);
  lt_listen((struct wl_proxy *)desktop->registry, object, found);
  return true;
}

// Binds the object `name` if it is one of those above. Returns whether windows can be opened.
static inline bool lt_bind(lt_desktop *desktop, uint32_t name, const char *kind) {
  struct wl_registry *registry = desktop->registry;
  if (!strcmp(kind, "wl_compositor"))
    desktop->compositor =
        (struct wl_compositor *)wl_registry_bind(registry, name, &wl_compositor_interface, 1);
  if (!strcmp(kind, "xdg_wm_base"))
    desktop->shell = (struct wl_proxy *)wl_registry_bind(registry, name, &lt_shell, 1);
  if (!strcmp(kind, "wl_shm"))
    desktop->memory = (struct wl_shm *)wl_registry_bind(registry, name, &wl_shm_interface, 1);
  return desktop->compositor && desktop->shell && desktop->memory;
}

static inline void lt_make_picture(lt_desktop *desktop) {
  unsigned char pixels[16 * 16 * 4];
  memset(pixels, 0x80, sizeof pixels);
  int file = memfd_create("picture", MFD_CLOEXEC);
  if (file < 0) return;
  if (write(file, pixels, sizeof pixels) == sizeof pixels) {
    struct wl_shm_pool *pool = wl_shm_create_pool(desktop->memory, file, sizeof pixels);
    desktop->picture = wl_shm_pool_create_buffer(pool, 0, 16, 16, 64, WL_SHM_FORMAT_XRGB8888);
    wl_shm_pool_destroy(pool);
  }
  // libwayland has duplicated the descriptor.
  close(file);
}

// Ends the connection.
static inline void lt_disconnect(lt_desktop *desktop) {
  if (desktop->picture) wl_buffer_destroy(desktop->picture);
  if (desktop->memory) wl_shm_destroy(desktop->memory);
  if (desktop->shell) wl_proxy_destroy(desktop->shell);
  if (desktop->compositor) wl_compositor_destroy(desktop->compositor);
  wl_registry_destroy(desktop->registry);
  wl_display_disconnect(desktop->display);
  *desktop = (lt_desktop){};
}
static inline void lt_answer(const lt_desktop *desktop, uint32_t serial) {
  wl_proxy_marshal_flags(desktop->shell, 3, NULL, 1, 0, serial);
}

// The objects of a window.
typedef struct {
  struct wl_surface *surface;
  struct wl_proxy *role, *toplevel;
  struct wl_callback *frame;
} lt_window;

// Asks for a window, with 60 bytes and the title. `proposed` is called with the number of each
// proposal of its size, which lt_draw accepts.
static inline void lt_open(lt_window *window, const lt_desktop *desktop, const char *title,
                           void *object, lt_event proposed) {
  window->surface = wl_compositor_create_surface(desktop->compositor);
  window->role =
      wl_proxy_marshal_flags(desktop->shell, 2, &lt_role, 1, 0, NULL, window->surface);
  window->toplevel = wl_proxy_marshal_flags(window->role, 1, &lt_toplevel, 1, 0, NULL);
  wl_proxy_marshal_flags(window->toplevel, 2, NULL, 1, 0, title);
  lt_listen(window->role, object, proposed);
  wl_surface_commit(window->surface);
}

// Shows the picture in the window, with at most 76 bytes. `shown` is called once.
static inline void lt_draw(lt_window *window, const lt_desktop *desktop, uint32_t serial,
                           void *object, lt_event shown) {
  wl_proxy_marshal_flags(window->role, 4, NULL, 1, 0, serial);
  wl_surface_attach(window->surface, desktop->picture, 0, 0);
  wl_surface_damage(window->surface, 0, 0, 16, 16);
  if (!window->frame) {
    window->frame = wl_surface_frame(window->surface);
    lt_listen((struct wl_proxy *)window->frame, object, shown);
  }
  wl_surface_commit(window->surface);
}

// Frees the objects of a window whose connection ends.
static inline void lt_forget(lt_window *window) {
  if (window->frame) wl_callback_destroy(window->frame);
  if (window->toplevel) wl_proxy_destroy(window->toplevel);
  if (window->role) wl_proxy_destroy(window->role);
  if (window->surface) wl_proxy_destroy((struct wl_proxy *)window->surface);
  *window = (lt_window){};
}

// Waits for the compositor as a library for drawing does, with a queue of its own. It reads
// the events of all queues.
static inline void lt_roundtrip(struct wl_display *display) {
  struct wl_event_queue *queue = wl_display_create_queue(display);
  wl_display_roundtrip_queue(display, queue);
  wl_event_queue_destroy(queue);
}

#endif
