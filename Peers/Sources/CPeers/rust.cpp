// The peers in Rust, which SwiftPM cannot build: the library that Rust/build puts next to
// the program.

#include <dlfcn.h>

#include <string>

#include "cpeers.h"

namespace {

const void *symbol(const char *name) {
  static void *const library = [] {
    Dl_info own;
    if (dladdr(reinterpret_cast<void *>(symbol), &own) == 0) return static_cast<void *>(nullptr);
    std::string path = own.dli_fname;
    path.erase(path.rfind('/') + 1);
    return dlopen((path + "libloopbench_rust.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  }();
  return library == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace

const cp_loop *cp_rust_loop(const char *name) { return static_cast<const cp_loop *>(symbol(name)); }

const cp_pool *cp_rust_pool(const char *name) { return static_cast<const cp_pool *>(symbol(name)); }
