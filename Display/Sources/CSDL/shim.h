// The part of SDL 2 that the window of cardfeed calls. It is declared here
// because SDL's headers are in a folder that only pkg-config knows, and SwiftPM
// warns about the -D_REENTRANT in SDL's .pc file. This ABI has not changed
// since SDL 2.0.
#ifndef CSDL_SHIM_H
#define CSDL_SHIM_H

#include <stdint.h>

typedef struct SDL_Window SDL_Window;

typedef struct SDL_Rect {
  int x, y, w, h;
} SDL_Rect;

// The first fields of SDL_PixelFormat and SDL_Surface.
typedef struct SDL_PixelFormat {
  uint32_t format;
} SDL_PixelFormat;

typedef struct SDL_Surface {
  uint32_t flags;
  SDL_PixelFormat *format;
  int w, h, pitch;
  void *pixels;
} SDL_Surface;

// SDL_SysWMinfo. The display is the first member of `info` for X11 and Wayland.
typedef struct ad_sdl_wm_info {
  uint8_t major, minor, patch;
  int subsystem;
  union {
    void *display;
    uint8_t padding[64];
  } info;
} ad_sdl_wm_info;

// The fields of SDL_Event that cardfeed reads. The union is 56 bytes long, like
// SDL's.
typedef union ad_sdl_event {
  uint32_t type;
  struct {
    uint32_t type, timestamp, window;
    uint8_t event, padding[3];
    int32_t data1, data2;
  } window;
  struct {
    uint32_t type, timestamp, window;
    uint8_t state, repeat, padding[2];
    int32_t scancode, key;
    uint16_t modifiers;
  } key;
  struct {
    uint32_t type, timestamp, window, which, state;
    int32_t x, y, across, down;
  } motion;
  struct {
    uint32_t type, timestamp, window, which;
    uint8_t button, state, clicks, padding;
    int32_t x, y;
  } button;
  struct {
    uint32_t type, timestamp, window, which;
    int32_t x, y;
    uint32_t direction;
    float precise_x, precise_y;
  } wheel;
  struct {
    uint32_t type, timestamp;
    int64_t touch, finger;
    float x, y, across, down, pressure;
  } finger;
  uint64_t padding[7];
} ad_sdl_event;

// SDL_INIT_VIDEO, SDL_WINDOWPOS_CENTERED, SDL_WINDOW_RESIZABLE, _ALLOW_HIGHDPI.
static const uint32_t ad_sdl_video = 0x20;
static const int ad_sdl_centered = 0x2FFF0000;
static const uint32_t ad_sdl_resizable = 0x20;
static const uint32_t ad_sdl_high_dpi = 0x2000;
// SDL_QUIT, _WINDOWEVENT, _KEYDOWN, _KEYUP, _MOUSEMOTION, _MOUSEBUTTONDOWN, _MOUSEBUTTONUP,
// _MOUSEWHEEL, _FINGERDOWN, _FINGERUP, _FINGERMOTION.
static const uint32_t ad_sdl_quit = 0x100;
static const uint32_t ad_sdl_window = 0x200;
static const uint32_t ad_sdl_key_down = 0x300;
static const uint32_t ad_sdl_key_up = 0x301;
static const uint32_t ad_sdl_motion = 0x400;
static const uint32_t ad_sdl_button_down = 0x401;
static const uint32_t ad_sdl_button_up = 0x402;
static const uint32_t ad_sdl_wheel = 0x403;
static const uint32_t ad_sdl_finger_down = 0x700;
static const uint32_t ad_sdl_finger_up = 0x701;
static const uint32_t ad_sdl_finger_motion = 0x702;
// SDL_WINDOWEVENT_EXPOSED, _RESIZED, _SIZE_CHANGED.
static const uint8_t ad_sdl_exposed = 3;
static const uint8_t ad_sdl_resized = 5;
static const uint8_t ad_sdl_size_changed = 6;
// KMOD_SHIFT.
static const uint16_t ad_sdl_shift = 3;
// SDL_PIXELFORMAT_ARGB8888, _RGB888.
static const uint32_t ad_sdl_argb = 0x16362004;
static const uint32_t ad_sdl_rgb = 0x16161804;
// SDL_SYSWM_X11, _WAYLAND.
static const int ad_sdl_x11 = 2;
static const int ad_sdl_wayland = 6;

int SDL_Init(uint32_t flags);
void SDL_Quit(void);
const char *SDL_GetError(void);
const char *SDL_GetCurrentVideoDriver(void);
int SDL_SetHint(const char *name, const char *value);
int SDL_GetDisplayUsableBounds(int display, SDL_Rect *bounds);
int SDL_GetDisplayDPI(int display, float *diagonal, float *across, float *down);
SDL_Window *SDL_CreateWindow(const char *title, int x, int y, int w, int h, uint32_t flags);
void SDL_DestroyWindow(SDL_Window *window);
void SDL_GetWindowSize(SDL_Window *window, int *w, int *h);
void SDL_SetWindowMinimumSize(SDL_Window *window, int w, int h);
int SDL_GetWindowWMInfo(SDL_Window *window, ad_sdl_wm_info *info);
SDL_Surface *SDL_GetWindowSurface(SDL_Window *window);
int SDL_UpdateWindowSurfaceRects(SDL_Window *window, const SDL_Rect *rects, int count);
int SDL_ConvertPixels(int w, int h, uint32_t from_format, const void *from, int from_pitch,
                      uint32_t to_format, void *to, int to_pitch);
int SDL_PollEvent(ad_sdl_event *event);
int SDL_PushEvent(ad_sdl_event *event);
void *SDL_LoadObject(const char *name);
void *SDL_LoadFunction(void *object, const char *name);

#endif
