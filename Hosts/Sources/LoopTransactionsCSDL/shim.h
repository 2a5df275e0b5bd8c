// SDL 2 without SDL_main: the program has its own main.
#define SDL_MAIN_HANDLED
#include <SDL2/SDL.h>
