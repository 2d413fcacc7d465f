#include "millrace/ops/queue/queue_items.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "millrace/base/memory/kept_charge.h"
#include "millrace/base/random.h"
#include "millrace/ops/random/random_stream.h"
#include "millrace/tensor/own_bytes.h"

namespace millrace::ops {
namespace {

constexpr char kQueueElements[] = "elements of a queue";

// What an element takes beside the buffers of its values: small values lie in
// their tensors.
int64_t BytesOf(const QueueTuple& parts) {
  // A place in a deque, also for a priority or a range of rows.
  constexpr auto kPlace =
      static_cast<int64_t>(sizeof(QueueRun) - sizeof(Tensor));
  return kPlace + OwnBytes(parts);
}

class FifoItems final : public QueueItems {
 public:
  int64_t size() const override { return size_; }
  Status Push(QueueTuple element) override {
    MR_RETURN_IF_ERROR(kept_.Add(BytesOf(element)));
    runs_.push_back({std::move(element)});
    ++size_;
    return OkStatus();
  }
  Status PushRows(const QueueTuple& batch, int64_t begin,
                  int64_t end) override {
    MR_RETURN_IF_ERROR(kept_.Add(BytesOf(batch)));
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
        kept_.Remove(BytesOf(first.parts));
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
      kept_.AddAlways(BytesOf(it->parts));
      runs_.push_front(std::move(*it));
    }
  }

 private:
  std::deque<QueueRun> runs_;
  int64_t size_ = 0;  // number of elements
  KeptSum kept_{kQueueElements};
};

// Copies rows [begin, end), for which `kept` has room then. A few bytes can
// stand for any number of empty rows.
StatusOr<std::vector<QueueTuple>> CopyRows(const QueueTuple& batch,
                                           int64_t begin, int64_t end,
                                           KeptSum& kept) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(end - begin, BytesOf(batch), &bytes)) {
    return ResourceExhausted("a batch of ", end - begin, " elements");
  }
  MR_RETURN_IF_ERROR(kept.MakeRoom(bytes));
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
  Status Push(QueueTuple element) override {
    MR_RETURN_IF_ERROR(kept_.Add(BytesOf(element)));
    items_.push_back(std::move(element));
    return OkStatus();
  }
  // The batch is not kept, since single elements of it may stay for long.
  Status PushRows(const QueueTuple& batch, int64_t begin,
                  int64_t end) override {
    MR_ASSIGN_OR_RETURN(auto rows, CopyRows(batch, begin, end, kept_));
    for (QueueTuple& row : rows) PushAlways(std::move(row));
    return OkStatus();
  }
  void Take(int64_t n, std::vector<QueueRun>* out) override {
    for (; n > 0; --n) {
      const size_t place = numbers_() % items_.size();
      kept_.Remove(BytesOf(items_[place]));
      out->push_back({std::move(items_[place])});
      if (place + 1 != items_.size()) items_[place] = std::move(items_.back());
      items_.pop_back();
    }
  }
  void PutBack(std::vector<QueueRun> taken) override {
    for (auto it = taken.rbegin(); it != taken.rend(); ++it) {
      PushAlways(std::move(it->parts));
    }
  }

 private:
  void PushAlways(QueueTuple element) {
    kept_.AddAlways(BytesOf(element));
    items_.push_back(std::move(element));
  }

  std::deque<QueueTuple> items_;
  KeptSum kept_{kQueueElements};
  Philox4x32 generator_;
  SingleNumbers numbers_{&generator_};
};

class PriorityItems final : public QueueItems {
 public:
  int64_t size() const override { return static_cast<int64_t>(heap_.size()); }
  Status Push(QueueTuple element) override {
    MR_RETURN_IF_ERROR(kept_.MakeRoom(BytesOf(element)));
    PushAlways(std::move(element));
    return OkStatus();
  }
  Status PushRows(const QueueTuple& batch, int64_t begin,
                  int64_t end) override {
    MR_ASSIGN_OR_RETURN(auto rows, CopyRows(batch, begin, end, kept_));
    for (QueueTuple& row : rows) PushAlways(std::move(row));
    return OkStatus();
  }
  void Take(int64_t n, std::vector<QueueRun>* out) override {
    for (; n > 0; --n) {
      std::pop_heap(heap_.begin(), heap_.end(), Later);
      kept_.Remove(BytesOf(heap_.back().second));
      out->push_back({std::move(heap_.back().second)});
      heap_.pop_back();
    }
  }
  void PutBack(std::vector<QueueRun> taken) override {
    for (QueueRun& run : taken) PushAlways(std::move(run.parts));
  }

 private:
  using Entry = std::pair<int64_t, QueueTuple>;
  static bool Later(const Entry& a, const Entry& b) {
    return a.first > b.first;
  }
  void PushAlways(QueueTuple element) {
    kept_.AddAlways(BytesOf(element));
    const int64_t priority = element[0].scalar<int64_t>();
    heap_.emplace_back(priority, std::move(element));
    std::push_heap(heap_.begin(), heap_.end(), Later);
  }

  std::deque<Entry> heap_;
  KeptSum kept_{kQueueElements};
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
