#include "millrace/ops/queue/queue_items.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/random.h"
#include "millrace/ops/random/random_stream.h"

namespace millrace::ops {
namespace {

class FifoItems final : public QueueItems {
 public:
  int64_t size() const override { return size_; }
  void Push(QueueTuple element) override {
    runs_.push_back({std::move(element)});
    ++size_;
  }
  Status PushRows(const QueueTuple& batch, int64_t begin,
                  int64_t end) override {
    runs_.push_back({batch, begin, end});
    size_ += end - begin;
    return OkStatus();
  }
  void Take(int64_t n, std::vector<QueueRun>* out) override {
    size_ -= n;
    while (n > 0) {
      QueueRun& first = runs_.front();
      if (first.size() <= n) {
        n -= first.size();
        out->push_back(std::move(first));
        runs_.pop_front();
      } else {
        out->push_back({first.parts, first.begin, first.begin + n});
        first.begin += n;
        n = 0;
      }
    }
  }
  void PutBack(std::vector<QueueRun> taken) override {
    for (auto it = taken.rbegin(); it != taken.rend(); ++it) {
      size_ += it->size();
      runs_.push_front(std::move(*it));
    }
  }

 private:
  std::deque<QueueRun> runs_;
  int64_t size_ = 0;  // number of elements
};

// What elements take beside the buffers of their values: small values lie in
// their tensors, and a few bytes can stand for any number of empty rows.
class ElementsCharge {
 public:
  // Returns RESOURCE_EXHAUSTED if there is no room for so many elements.
  Status Grow(int64_t elements, size_t parts) {
    const auto bytes = static_cast<int64_t>(
        sizeof(std::pair<int64_t, QueueTuple>) + parts * sizeof(Tensor));
    if (elements * bytes <= charge_.bytes()) return OkStatus();
    MR_RETURN_IF_ERROR(charge_.Set(elements * bytes, "elements of a queue"));
    elements_ = elements;
    return OkStatus();
  }
  // Gives back what was for elements that are gone, as soon as that is worth
  // it.
  void Shrink(int64_t elements) {
    if (elements_ - elements < elements_ / 4 + 1024) return;
    charge_.Set(charge_.bytes() / elements_ * elements, "").IgnoreError();
    elements_ = elements;
  }

 private:
  MemoryCharge charge_;
  int64_t elements_ = 0;  // that it is for
};

StatusOr<std::vector<QueueTuple>> CopyRows(const QueueTuple& batch,
                                           int64_t begin, int64_t end) {
  std::vector<QueueTuple> rows;
  rows.reserve(static_cast<size_t>(end - begin));
  for (int64_t row = begin; row < end; ++row) {
    QueueTuple element;
    for (const Tensor& part : batch) {
      MR_ASSIGN_OR_RETURN(Tensor copy, CopyRow(part, row, HostAllocator()));
      element.push_back(std::move(copy));
    }
    rows.push_back(std::move(element));
  }
  return rows;
}

class ShuffledItems final : public QueueItems {
 public:
  ShuffledItems(uint64_t seed, uint64_t seed2) : generator_(seed, seed2) {}
  int64_t size() const override { return static_cast<int64_t>(items_.size()); }
  void Push(QueueTuple element) override {
    items_.push_back(std::move(element));
  }
  // The batch is not kept, since single elements of it may stay for long.
  Status PushRows(const QueueTuple& batch, int64_t begin,
                  int64_t end) override {
    MR_RETURN_IF_ERROR(charge_.Grow(size() + end - begin, batch.size()));
    MR_ASSIGN_OR_RETURN(auto rows, CopyRows(batch, begin, end));
    for (QueueTuple& row : rows) items_.push_back(std::move(row));
    return OkStatus();
  }
  void Take(int64_t n, std::vector<QueueRun>* out) override {
    for (; n > 0; --n) {
      const size_t place = numbers_() % items_.size();
      out->push_back({std::move(items_[place])});
      if (place + 1 != items_.size()) items_[place] = std::move(items_.back());
      items_.pop_back();
    }
    charge_.Shrink(size());
  }
  void PutBack(std::vector<QueueRun> taken) override {
    for (auto it = taken.rbegin(); it != taken.rend(); ++it) {
      items_.push_back(std::move(it->parts));
    }
  }

 private:
  std::deque<QueueTuple> items_;
  ElementsCharge charge_;
  Philox4x32 generator_;
  SingleNumbers numbers_{&generator_};
};

class PriorityItems final : public QueueItems {
 public:
  int64_t size() const override { return static_cast<int64_t>(heap_.size()); }
  void Push(QueueTuple element) override {
    const int64_t priority = element[0].scalar<int64_t>();
    heap_.emplace_back(priority, std::move(element));
    std::push_heap(heap_.begin(), heap_.end(), Later);
  }
  Status PushRows(const QueueTuple& batch, int64_t begin,
                  int64_t end) override {
    MR_RETURN_IF_ERROR(charge_.Grow(size() + end - begin, batch.size()));
    MR_ASSIGN_OR_RETURN(auto rows, CopyRows(batch, begin, end));
    for (QueueTuple& row : rows) Push(std::move(row));
    return OkStatus();
  }
  void Take(int64_t n, std::vector<QueueRun>* out) override {
    for (; n > 0; --n) {
      std::pop_heap(heap_.begin(), heap_.end(), Later);
      out->push_back({std::move(heap_.back().second)});
      heap_.pop_back();
    }
    charge_.Shrink(size());
  }
  void PutBack(std::vector<QueueRun> taken) override {
    for (QueueRun& run : taken) Push(std::move(run.parts));
  }

 private:
  using Entry = std::pair<int64_t, QueueTuple>;
  static bool Later(const Entry& a, const Entry& b) {
    return a.first > b.first;
  }
  std::deque<Entry> heap_;
  ElementsCharge charge_;
};

}  // namespace

std::unique_ptr<QueueItems> MakeFifoItems() {
  return std::make_unique<FifoItems>();
}

std::unique_ptr<QueueItems> MakeShuffledItems(int64_t seed, int64_t seed2) {
  const bool by_chance = seed == 0 && seed2 == 0;
  return std::make_unique<ShuffledItems>(
      by_chance ? RandomUint64() : static_cast<uint64_t>(seed),
      by_chance ? RandomUint64() : static_cast<uint64_t>(seed2));
}

std::unique_ptr<QueueItems> MakePriorityItems() {
  return std::make_unique<PriorityItems>();
}

}  // namespace millrace::ops
