#pragma once

// The library has no functions of its own: it wraps those of the C library.
