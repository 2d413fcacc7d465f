// ElementListValue: a data set of given elements. CheckElementTypes: the check
// of elements that a function of the graph has made.
#pragma once

#include <utility>
#include <vector>

#include "millrace/ops/data/dataset.h"

namespace millrace::ops {

// Returns INVALID_ARGUMENT in stock's words unless the element has `types`.
inline Status CheckElementTypes(absl::Span<const DataType> types,
                                const Element& element) {
  std::vector<DataType> got;
  for (const Tensor& t : element) got.push_back(t.dtype());
  return CheckTypes(types, got);
}

class ElementListValue final : public DatasetValue {
 public:
  // `depth` must be that of a data set above all data sets in the elements.
  ElementListValue(ElementSignature signature, int depth,
                   std::vector<Element> elements)
      : DatasetValue(std::move(signature), depth),
        elements_(std::move(elements)) {}
  StatusOr<std::unique_ptr<DatasetIterator>> MakeIterator(
      IteratorRuntime&) const override {
    return std::unique_ptr<DatasetIterator>(new Iterator(*this));
  }
  int64_t Cardinality() const override {
    return static_cast<int64_t>(elements_.size());
  }

 private:
  class Iterator final : public DatasetIterator {
   public:
    explicit Iterator(const ElementListValue& d)
        : dataset_(Ref<const ElementListValue>::Share(&d)) {}
    StatusOr<Pull> Next(PollContext&, Element* out) override {
      const auto count = static_cast<int64_t>(dataset_->elements_.size());
      if (next_ >= count) return Pull::kEnd;
      *out = dataset_->elements_[static_cast<size_t>(next_++)];
      return Pull::kElement;
    }
    Status Save(StateWriter& out, const std::string& prefix) override {
      out.Int(prefix + "next", next_);
      return OkStatus();
    }
    Status Restore(StateReader& in, const std::string& prefix) override {
      MR_ASSIGN_OR_RETURN(next_, in.Count(prefix + "next"));
      return OkStatus();
    }

   private:
    const Ref<const ElementListValue> dataset_;
    int64_t next_ = 0;
  };

  const std::vector<Element> elements_;
};

}  // namespace millrace::ops
