// RecentSet: the last keys that were put in, so that what comes late is known.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace millrace {

// Keeps the last `most` keys; with one more the oldest is forgotten. Allocates
// nothing while it is empty. Not thread-safe.
template <class Key>
class RecentSet {
 public:
  explicit RecentSet(size_t most) : most_(most) {}

  struct Inserted {
    bool is_new = false;
    std::optional<Key> forgotten;  // in its favour
  };
  // A key that is there keeps its age.
  Inserted Insert(Key key) {
    Inserted inserted;
    if (most_ == 0) return {.is_new = true};
    inserted.is_new = keys_.insert(key).second;
    if (!inserted.is_new) return inserted;
    if (in_order_.size() < most_) {
      in_order_.push_back(std::move(key));
      return inserted;
    }
    inserted.forgotten = std::exchange(in_order_[oldest_], std::move(key));
    keys_.erase(*inserted.forgotten);
    oldest_ = (oldest_ + 1) % most_;
    return inserted;
  }

  bool Contains(const Key& key) const { return keys_.contains(key); }

 private:
  const size_t most_;
  absl::flat_hash_set<Key> keys_;
  std::vector<Key> in_order_;  // a ring, once it is full
  size_t oldest_ = 0;          // its place in the full ring
};

}  // namespace millrace
