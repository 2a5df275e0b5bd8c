// The declarations of SDL 2 that the host uses, which are part of its stable ABI. Without
// SDL's headers, this package builds where SDL is not installed.
//
// Tests/CHostHeaders compiles the host after SDL's own headers. The compiler then checks
// that both declare the same.
#ifndef LT_SDL_ABI_H
#define LT_SDL_ABI_H

#include <stdint.h>

#ifndef SDL_h_
typedef union {
  uint32_t type;
  void *pointer;
  uint8_t padding[56];
} SDL_Event;

#define SDL_INIT_EVENTS 0x4000u

enum {
  SDL_KEYDOWN = 0x300,
  SDL_KEYUP,
  SDL_TEXTEDITING,
  SDL_TEXTINPUT,
  SDL_MOUSEMOTION = 0x400,
  SDL_MOUSEBUTTONDOWN,
  SDL_MOUSEBUTTONUP,
  SDL_MOUSEWHEEL,
  SDL_FINGERDOWN = 0x700,
  SDL_FINGERUP,
  SDL_FINGERMOTION,
  SDL_MULTIGESTURE = 0x802
};
#endif

// They hold for both declarations.
_Static_assert(sizeof(SDL_Event) == 56 && _Alignof(SDL_Event) == _Alignof(void *), "SDL_Event");
_Static_assert(SDL_INIT_EVENTS == 0x4000, "SDL_INIT_EVENTS");
_Static_assert(SDL_KEYDOWN == 0x300 && SDL_KEYUP == 0x301, "keys");
_Static_assert(SDL_TEXTEDITING == 0x302 && SDL_TEXTINPUT == 0x303, "text");
_Static_assert(SDL_MOUSEMOTION == 0x400 && SDL_MOUSEBUTTONDOWN == 0x401, "mouse");
_Static_assert(SDL_MOUSEBUTTONUP == 0x402 && SDL_MOUSEWHEEL == 0x403, "mouse");
_Static_assert(SDL_FINGERDOWN == 0x700 && SDL_FINGERUP == 0x701, "touches");
_Static_assert(SDL_FINGERMOTION == 0x702 && SDL_MULTIGESTURE == 0x802, "touches");

uint32_t SDL_WasInit(uint32_t flags);
uint32_t SDL_RegisterEvents(int count);
int SDL_PushEvent(SDL_Event *event);
unsigned SDL_HasEvent(uint32_t type);
void SDL_FlushEvent(uint32_t type);

#endif
