// The part of SDL 2 that SDLHost uses. Names nothing of SDL, so that a program can import
// SDL's own headers too, and compiles without them.
#ifndef LT_SDL_HOST_H
#define LT_SDL_HOST_H

#include <stdint.h>

// Returns a new type of event, or UINT32_MAX if SDL has none left.
uint32_t lt_sdl_event_register(void);

// Pushes an event, unless SDL's queue is full. Returns 0 if SDL's events have been shut
// down. Call from any thread, as the next two.
int lt_sdl_event_push(uint32_t type);

// Whether an event is in SDL's queue.
int lt_sdl_event_is_queued(uint32_t type);

// Removes all events from SDL's queue.
void lt_sdl_event_flush(uint32_t type);

// Whether an event is input of a user: keys and text, the mouse, or touches.
int lt_sdl_event_is_input(uint32_t type);

#endif
