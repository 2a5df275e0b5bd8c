#include "lw_stacks.h"
#include <stdio.h>
lw_stacks *lw_stacks_open(int pid, char *message, size_t capacity) { (void)pid; snprintf(message, capacity, "none"); return NULL; }
void lw_stacks_close(lw_stacks *stacks) { (void)stacks; }
lw_outcome lw_stacks_capture(lw_stacks *stacks, int tid, bool (*is_waiting)(void *), void *context, struct lw_frame *frames, size_t capacity, size_t *count, uint64_t *nanoseconds) {
 (void)stacks;(void)tid;(void)is_waiting;(void)context;(void)frames;(void)capacity;(void)count;(void)nanoseconds; return lw_no_thread; }
