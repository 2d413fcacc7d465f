// The best items of many, kept while they come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace millrace::ops {

// Keeps the `limit` best of the items that are added: a list while there are
// not more of them, then a heap with the worst one first. `better(a, b)` may
// change its mind about an item that is the worst one, to its disadvantage.
//
// The order of equal items, and which of them stay, are those of TensorFlow's
// list of beams, so that decoders give the same sequences.
class Beam {
 public:
  static constexpr int64_t kNone = -1;

  explicit Beam(int64_t limit) : limit_(limit) {}

  int64_t size() const { return static_cast<int64_t>(items_.size()); }
  // Returns the items, in no particular order.
  const std::vector<int64_t>& items() const { return items_; }

  // Adds an item. Returns the one that is out, which may be that item itself,
  // or kNone.
  template <class Better>
  int64_t Add(int64_t item, const Better& better) {
    if (state_ == State::kHeap) {
      if (!better(item, items_.front())) return item;
      std::pop_heap(items_.begin(), items_.end(), better);
      const int64_t out = std::exchange(items_.back(), item);
      std::push_heap(items_.begin(), items_.end(), better);
      return out;
    }
    items_.push_back(item);
    if (size() > limit_) {
      std::make_heap(items_.begin(), items_.end(), better);
      std::pop_heap(items_.begin(), items_.end(), better);
      const int64_t out = items_.back();
      items_.pop_back();
      state_ = State::kHeap;
      return out;
    }
    if (state_ == State::kWorstFirst &&
        !better(items_.back(), items_.front())) {
      std::swap(items_.front(), items_.back());
    }
    return kNone;
  }

  // Returns the worst item. Requires: there is one.
  template <class Better>
  int64_t Worst(const Better& better) {
    if (state_ == State::kList) {
      size_t worst = 0;
      for (size_t i = 1; i < items_.size(); ++i) {
        if (better(items_[worst], items_[i])) worst = i;
      }
      std::swap(items_[0], items_[worst]);
      state_ = State::kWorstFirst;
    }
    return items_.front();
  }

  // Removes all items and returns them, best first.
  template <class Better>
  std::vector<int64_t> TakeSorted(const Better& better) {
    std::vector<int64_t> sorted = std::move(items_);
    items_.clear();
    if (state_ == State::kHeap) {
      std::sort_heap(sorted.begin(), sorted.end(), better);
    } else {
      std::sort(sorted.begin(), sorted.end(), better);
    }
    state_ = State::kList;
    return sorted;
  }

 private:
  enum class State { kList, kWorstFirst, kHeap };

  int64_t limit_;
  std::vector<int64_t> items_;
  State state_ = State::kList;
};

}  // namespace millrace::ops
