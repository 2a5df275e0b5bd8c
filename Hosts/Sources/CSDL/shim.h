// SDL 2, without its main: the program's own comes first.
#define SDL_MAIN_HANDLED
#include <SDL2/SDL.h>
