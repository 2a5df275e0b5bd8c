// Compiles SDLHost's C code after SDL's own headers. A declaration that differs from
// SDL's is an error. No program links this file.
#include <SDL2/SDL.h>

#include "../../Sources/CSDLHost/sdl-host.c"
