#pragma once

// The library wraps functions of the C library, and has no others.
