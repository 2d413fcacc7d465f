// GatheredElements: the elements of a batch, charged to the memory budget. A
// data set of numbers may give elements without end, and their tensors' own
// memory is not charged elsewhere.
#pragma once

#include <utility>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

// May be used by one thread at a time.
class GatheredElements {
 public:
  int64_t size() const { return static_cast<int64_t>(elements_.size()); }
  void clear() { Take(); }
  // Returns RESOURCE_EXHAUSTED if the budget has no room; this is then empty.
  Status Add(Element element) {
    // Charges in steps, since all threads share the budget; a few elements are
    // not counted.
    const int64_t bytes = (size() + 1) * kBytesPerElement;
    if (bytes >= kUncountedBytes && bytes > charge_.bytes()) {
      Status charged = charge_.Set(2 * bytes, "the elements of a batch");
      if (!charged.ok()) {
        clear();
        return charged;
      }
    }
    elements_.push_back(std::move(element));
    return OkStatus();
  }
  // Adds elements of `input` until there are `count`. Returns kElement when it
  // need not be called again; `input` is null then if it has ended. An error
  // of the input drops what was gathered, as in stock.
  StatusOr<Pull> FillFrom(PollContext& ctx,
                          std::unique_ptr<DatasetIterator>& input,
                          int64_t count) {
    while (input != nullptr && size() < count) {
      Element element;
      const StatusOr<Pull> pull = ctx.Next(*input, &element);
      if (!pull.ok()) clear();
      if (!pull.ok() || *pull == Pull::kPending) return pull;
      if (*pull == Pull::kEnd) {
        input = nullptr;
      } else {
        MR_RETURN_IF_ERROR(Add(std::move(element)));
      }
    }
    return Pull::kElement;
  }
  std::vector<Element> Take() {
    MemoryCharge charged = std::move(charge_);
    return std::exchange(elements_, {});
  }

 private:
  static constexpr int64_t kBytesPerElement = 128;
  static constexpr int64_t kUncountedBytes = 64 << 10;

  std::vector<Element> elements_;
  MemoryCharge charge_;
};

}  // namespace millrace::ops
