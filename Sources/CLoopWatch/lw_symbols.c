#include "lw_symbols.h"

#if LW_SUPPORTED

#include <stdlib.h>
#include <string.h>

// Values of an ELF symbol's `info`.
enum { type_none = 0, type_function = 2, type_indirect = 10 };
enum { binding_local = 0, binding_global = 1 };

struct symbol {
  uint64_t start;
  uint64_t size;  // 0 for a label in assembly.
  const char *name;
  int rank;  // The higher rank names an address that has several symbols.
};

// A module's functions, ordered by address. Each address has one symbol.
struct lw_symbol_table {
  size_t count;
  struct symbol symbols[];
};

static int rank(const struct lw_elf_symbol *symbol) {
  int type = symbol->info & 15, binding = symbol->info >> 4;
  return (symbol->size > 0) * 8 + (type != type_none) * 4 +
         (binding == binding_global ? 2 : binding != binding_local);
}

static bool is_code(const struct lw_elf_symbol *symbol) {
  int type = symbol->info & 15;
  return symbol->section != 0 &&
         (type == type_function || type == type_indirect || type == type_none);
}

// By address, then the best rank first, then by name, so that answers are the same
// every time.
static int compare(const void *left, const void *right) {
  const struct symbol *a = left, *b = right;
  if (a->start != b->start) return a->start < b->start ? -1 : 1;
  if (a->rank != b->rank) return b->rank - a->rank;
  return strcmp(a->name, b->name);
}

static void sort(struct lw_symbol_table *table) {
  qsort(table->symbols, table->count, sizeof table->symbols[0], compare);
  size_t count = 0;
  for (size_t i = 0; i < table->count; i++) {
    if (count > 0 && table->symbols[count - 1].start == table->symbols[i].start) continue;
    table->symbols[count++] = table->symbols[i];
  }
  table->count = count;
}

static struct lw_symbol_table *read_table(const struct lw_libdw *libdw, Dwfl_Module *module) {
  int count = libdw->module_getsymtab(module);
  size_t capacity = count > 0 ? (size_t)count : 0;
  struct lw_symbol_table *table = malloc(sizeof *table + capacity * sizeof table->symbols[0]);
  if (table == NULL) return NULL;
  table->count = 0;
  // Symbol 0 is undefined.
  for (int i = 1; i < count; i++) {
    struct lw_elf_symbol symbol;
    uint64_t address;
    const char *name =
        libdw->module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
    if (name == NULL || name[0] == 0 || !is_code(&symbol)) continue;
    table->symbols[table->count++] =
        (struct symbol){address, symbol.size, name, rank(&symbol)};
  }
  sort(table);
  struct lw_symbol_table *smaller =
      realloc(table, sizeof *table + table->count * sizeof table->symbols[0]);
  return smaller != NULL ? smaller : table;
}

// Functions rarely contain other symbols. Labels have no size, so a far one is wrong.
enum { most_nested = 16, most_label_distance = 4096 };

static const struct symbol *search(const struct lw_symbol_table *table, uint64_t address) {
  size_t low = 0, high = table->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (table->symbols[middle].start <= address) low = middle + 1;
    else high = middle;
  }
  for (size_t i = low; i > 0 && low - i < most_nested; i--) {
    const struct symbol *symbol = &table->symbols[i - 1];
    if (address - symbol->start < symbol->size) return symbol;
  }
  if (low == 0) return NULL;
  const struct symbol *label = &table->symbols[low - 1];
  bool is_near = label->size == 0 && address - label->start < most_label_distance;
  return is_near ? label : NULL;
}

static const char *module_name(const char *name) {
  return strncmp(name, "[vdso", 5) == 0 ? "[vdso]" : name;
}

// Returns the symbol that contains `address`, or NULL. Writes the path of its module.
static const struct symbol *find_symbol(struct lw_symbols *symbols, uint64_t address,
                                        const char **path) {
  *path = NULL;
  Dwfl_Module *module = symbols->libdw->addrmodule(symbols->dwfl, address);
  if (module == NULL) return NULL;
  void **slot = NULL;
  *path = symbols->libdw->module_info(module, &slot, NULL, NULL, NULL, NULL, NULL, NULL);
  struct lw_module *own = slot != NULL ? *slot : NULL;
  if (own == NULL) return NULL;
  if (own->table == NULL) own->table = read_table(symbols->libdw, module);
  return own->table != NULL ? search(own->table, address) : NULL;
}

static struct lw_name look_up(struct lw_symbols *symbols, uint64_t address) {
  const char *path;
  const struct symbol *symbol = find_symbol(symbols, address, &path);
  return (struct lw_name){address, symbol != NULL ? symbol->name : NULL,
                          path != NULL ? module_name(path) : NULL};
}

uint64_t lw_symbols_start(struct lw_symbols *symbols, uint64_t address) {
  const char *path;
  const struct symbol *symbol = find_symbol(symbols, address, &path);
  return symbol != NULL ? symbol->start : 0;
}

static struct lw_name *slot_of(struct lw_name *names, size_t capacity, uint64_t address) {
  size_t i = (address * 0x9e3779b97f4a7c15u >> 32) & (capacity - 1);
  while (names[i].address != 0 && names[i].address != address) i = (i + 1) & (capacity - 1);
  return &names[i];
}

// Makes room for one more name. Returns false if there is no memory.
static bool reserve(struct lw_symbols *symbols) {
  if (symbols->count * 2 < symbols->capacity) return true;
  size_t capacity = symbols->capacity > 0 ? symbols->capacity * 2 : 1024;
  struct lw_name *names = calloc(capacity, sizeof *names);
  if (names == NULL) return false;
  for (size_t i = 0; i < symbols->capacity; i++) {
    if (symbols->names[i].address == 0) continue;
    *slot_of(names, capacity, symbols->names[i].address) = symbols->names[i];
  }
  free(symbols->names);
  symbols->names = names;
  symbols->capacity = capacity;
  return true;
}

struct lw_name lw_symbols_find(struct lw_symbols *symbols, uint64_t address) {
  if (address == 0 || !reserve(symbols)) return look_up(symbols, address);
  struct lw_name *slot = slot_of(symbols->names, symbols->capacity, address);
  if (slot->address == 0) {
    *slot = look_up(symbols, address);
    symbols->count++;
  }
  return *slot;
}

void lw_symbols_forget(struct lw_symbols *symbols) {
  free(symbols->names);
  symbols->names = NULL;
  symbols->capacity = symbols->count = 0;
}

// Does not use `data`: the header and the code of libdw differ on its meaning.
int lw_symbols_removed(Dwfl_Module *module, void *data, const char *name, uint64_t base,
                       void *context) {
  (void)data, (void)name, (void)base;
  const struct lw_symbols *symbols = context;
  void **slot = NULL;
  symbols->libdw->module_info(module, &slot, NULL, NULL, NULL, NULL, NULL, NULL);
  struct lw_module *own = slot != NULL ? *slot : NULL;
  if (own == NULL) return lw_dwarf_ok;
  free(own->table);
  free(own);
  *slot = NULL;
  return lw_dwarf_ok;
}

static int free_each(Dwfl_Module *module, void **data, const char *name, uint64_t base,
                     void *context) {
  return lw_symbols_removed(module, data, name, base, context);
}

void lw_symbols_free(struct lw_symbols *symbols) {
  if (symbols->dwfl != NULL) symbols->libdw->getmodules(symbols->dwfl, free_each, symbols, 0);
  lw_symbols_forget(symbols);
}

#endif
