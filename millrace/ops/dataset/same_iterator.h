// SameIterator: the elements of the first input as they are.
#pragma once

#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {

template <class P>
class SameIteratorOf : public DerivedIterator<P> {
 public:
  using DerivedIterator<P>::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    return ctx.Next(*this->input_, out);
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return this->input_->Save(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return this->input_->Restore(in, prefix);
  }
  static int64_t Cardinality(const DerivedDataset<P>& d) {
    return d.input().Cardinality();
  }
};
using SameIterator = SameIteratorOf<NoParams>;

}  // namespace millrace::ops
