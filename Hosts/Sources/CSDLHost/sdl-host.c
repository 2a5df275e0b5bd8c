#include "sdl-host.h"

#include <string.h>

#include "sdl-abi.h"

uint32_t lt_sdl_event_register(void) { return SDL_RegisterEvents(1); }

int lt_sdl_event_push(uint32_t type) {
  SDL_Event event;
  memset(&event, 0, sizeof event);
  event.type = type;
  // The queue also accepts events before SDL_Init.
  return SDL_PushEvent(&event) >= 0 || SDL_WasInit(SDL_INIT_EVENTS) != 0;
}

int lt_sdl_event_is_queued(uint32_t type) { return SDL_HasEvent(type) != 0; }

void lt_sdl_event_flush(uint32_t type) { SDL_FlushEvent(type); }

int lt_sdl_event_is_input(uint32_t type) {
  switch (type) {
    case SDL_KEYDOWN:
    case SDL_KEYUP:
    case SDL_TEXTEDITING:
    case SDL_TEXTINPUT:
    case SDL_MOUSEMOTION:
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP:
    case SDL_MOUSEWHEEL:
    case SDL_FINGERDOWN:
    case SDL_FINGERUP:
    case SDL_FINGERMOTION:
    case SDL_MULTIGESTURE: return 1;
    default: return 0;
  }
}
