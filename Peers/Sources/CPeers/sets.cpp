#if !__has_include(<absl/container/flat_hash_set.h>)
#error "Abseil is missing; install it with: apt-get install libabsl-dev"
#endif

#include <absl/container/flat_hash_set.h>

#include <memory>
#include <unordered_set>
#include <vector>

#include "loop.hpp"

namespace {

struct Target {
  uint64_t performed = 0;

  __attribute__((noinline)) void perform() { performed++; }
};

// A target and the number of its selector.
using Key = std::pair<Target *, uint32_t>;

// The standard library has no hash of a pair.
struct KeyHash {
  size_t operator()(const Key &key) const {
    size_t hash = std::hash<Target *>()(key.first);
    size_t other = std::hash<uint32_t>()(key.second);
    return hash ^ (other + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2));
  }
};

template <class Set>
struct PendingSet {
  std::vector<std::unique_ptr<Target>> targets;
  // The two sets keep their memory.
  Set pending;
  Set performing;

  explicit PendingSet(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) targets.push_back(std::make_unique<Target>());
  }

  void commit_all() {
    for (auto &target : targets) pending.insert(Key(target.get(), 1));
  }

  void flush() {
    pending.swap(performing);
    for (auto &key : performing) key.first->perform();
    performing.clear();
  }

  static uint64_t duplicates(void *peer, uint32_t repeats) {
    auto set = static_cast<PendingSet *>(peer);
    set->commit_all();
    uint64_t began = cp_now();
    for (uint32_t i = 0; i < repeats; i++) set->commit_all();
    uint64_t elapsed = cp_now() - began;
    set->flush();
    return elapsed;
  }

  static uint64_t first(void *peer) {
    auto set = static_cast<PendingSet *>(peer);
    uint64_t began = cp_now();
    set->commit_all();
    set->flush();
    return cp_now() - began;
  }

  static uint64_t performed(const void *peer) {
    uint64_t count = 0;
    for (auto &target : static_cast<const PendingSet *>(peer)->targets) count += target->performed;
    return count;
  }

  static constexpr cp_set table() {
    return {open_peer<PendingSet, uint32_t>, duplicates, first, performed,
            close_peer<PendingSet>};
  }
};

}  // namespace

const cp_set cp_unordered_set = PendingSet<std::unordered_set<Key, KeyHash>>::table();

const cp_set cp_flat_hash_set = PendingSet<absl::flat_hash_set<Key>>::table();
