#pragma once

// Copies the stack of a thread that sleeps in a system call, without stopping it.

#include "lw_stop.h"

#if LW_SUPPORTED

// Fills the results of `stop`. The kernel tells only the registers of the call, the stack
// pointer and the program counter. Returns false if the thread runs, or went on meanwhile.
bool lw_copy_blocked(struct lw_stop *stop);

// Copies the stack from `stop->registers`.
void lw_copy_stack(struct lw_stop *stop);

#endif
