// A singly linked queue of functions with their contexts, for the peers in C. The
// caller must hold a lock.
#ifndef ITEMS_H
#define ITEMS_H

#include <stdbool.h>
#include <stdlib.h>

typedef struct item {
  struct item *next;
  void (*function)(void *);
  void *context;
} item;

typedef struct {
  item *first;
  item **last;  // where the next item goes
} items;

static inline item *make_item(void (*function)(void *), void *context) {
  item *new_item = malloc(sizeof *new_item);
  if (new_item == NULL) abort();
  *new_item = (item){.function = function, .context = context};
  return new_item;
}

// Returns whether the list was empty.
static inline bool append_item(items *items, item *item) {
  bool was_empty = items->first == NULL;
  *items->last = item;
  items->last = &item->next;
  return was_empty;
}

// Removes and returns all items.
static inline item *take_items(items *items) {
  item *first = items->first;
  items->first = NULL;
  items->last = &items->first;
  return first;
}

// Runs and frees each item.
static inline void run_items(item *item) {
  while (item != NULL) {
    struct item *next = item->next;
    item->function(item->context);
    free(item);
    item = next;
  }
}

#endif
