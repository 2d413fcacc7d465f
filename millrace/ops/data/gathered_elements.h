// GatheredElements: the elements of a batch, charged to the memory budget.
#pragma once

#include <utility>
#include <vector>

#include "millrace/ops/data/elements_charge.h"

namespace millrace::ops {

// May be used by one thread at a time.
class GatheredElements {
 public:
  int64_t size() const { return static_cast<int64_t>(elements_.size()); }
  void clear() { Take(); }
  // Returns RESOURCE_EXHAUSTED if the budget has no room; this is then empty.
  Status Add(Element element) {
    Status charged = charge_.Add(element);
    if (!charged.ok()) {
      clear();
      return charged;
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
    charge_.Clear();
    return std::exchange(elements_, {});
  }

 private:
  std::vector<Element> elements_;
  ElementsCharge charge_{"the elements of a batch"};
};

}  // namespace millrace::ops
