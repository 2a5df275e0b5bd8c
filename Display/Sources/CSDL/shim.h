// The part of SDL 2 that the window of cardfeed calls. It is declared here
// because SDL's headers are in a folder that only pkg-config knows, and SwiftPM
// warns about the -D_REENTRANT in SDL's .pc file. This ABI has not changed
// since SDL 2.0.
#ifndef CSDL_SHIM_H
#define CSDL_SHIM_H

#include <stdint.h>

typedef struct SDL_Window SDL_Window;
typedef struct SDL_Renderer SDL_Renderer;
typedef struct SDL_Texture SDL_Texture;

typedef struct SDL_Rect {
  int x, y, w, h;
} SDL_Rect;

// The fields of SDL_Event that cardfeed reads. The union is 56 bytes long, like
// SDL's.
typedef union ad_sdl_event {
  uint32_t type;
  struct {
    uint32_t type, timestamp, window;
    uint8_t state, repeat, padding[2];
    int32_t scancode, key;
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
  } wheel;
  uint64_t padding[7];
} ad_sdl_event;

// SDL_INIT_VIDEO, SDL_WINDOWPOS_CENTERED.
static const uint32_t ad_sdl_video = 0x20;
static const int ad_sdl_centered = 0x2FFF0000;
// SDL_QUIT, _KEYDOWN, _KEYUP, _MOUSEMOTION, _MOUSEBUTTONDOWN, _MOUSEBUTTONUP, _MOUSEWHEEL.
static const uint32_t ad_sdl_quit = 0x100;
static const uint32_t ad_sdl_key_down = 0x300;
static const uint32_t ad_sdl_key_up = 0x301;
static const uint32_t ad_sdl_motion = 0x400;
static const uint32_t ad_sdl_button_down = 0x401;
static const uint32_t ad_sdl_button_up = 0x402;
static const uint32_t ad_sdl_wheel = 0x403;
// SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STATIC, SDL_BLENDMODE_BLEND.
static const uint32_t ad_sdl_argb = 0x16362004;
static const int ad_sdl_static = 0;
static const int ad_sdl_blend = 1;

int SDL_Init(uint32_t flags);
void SDL_Quit(void);
const char *SDL_GetError(void);
int SDL_SetHint(const char *name, const char *value);
SDL_Window *SDL_CreateWindow(const char *title, int x, int y, int w, int h, uint32_t flags);
void SDL_SetWindowTitle(SDL_Window *window, const char *title);
void SDL_DestroyWindow(SDL_Window *window);
SDL_Renderer *SDL_CreateRenderer(SDL_Window *window, int index, uint32_t flags);
void SDL_DestroyRenderer(SDL_Renderer *renderer);
SDL_Texture *SDL_CreateTexture(SDL_Renderer *renderer, uint32_t format, int access, int w, int h);
void SDL_DestroyTexture(SDL_Texture *texture);
int SDL_UpdateTexture(SDL_Texture *texture, const SDL_Rect *rect, const void *pixels, int pitch);
int SDL_SetTextureBlendMode(SDL_Texture *texture, int mode);
int SDL_SetTextureAlphaMod(SDL_Texture *texture, uint8_t alpha);
int SDL_SetRenderDrawColor(SDL_Renderer *renderer, uint8_t r, uint8_t g, uint8_t b, uint8_t a);
int SDL_RenderClear(SDL_Renderer *renderer);
int SDL_RenderFillRect(SDL_Renderer *renderer, const SDL_Rect *rect);
int SDL_RenderCopy(SDL_Renderer *renderer, SDL_Texture *texture, const SDL_Rect *from,
                   const SDL_Rect *to);
void SDL_RenderPresent(SDL_Renderer *renderer);
int SDL_PollEvent(ad_sdl_event *event);

#endif
