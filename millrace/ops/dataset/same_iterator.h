// SameIterator: the elements of the first input as they are.
#pragma once

#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {

template <class P, class Base = UnchangedIterator<P>>
class SameIteratorOf : public Base {
 public:
  using Base::Base;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    return ctx.Next(*this->input_, out);
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return out.Save(*this->input_, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return this->input_->Restore(in, prefix);
  }
  static int64_t Cardinality(const DerivedDataset<P>& d) {
    return d.input().Cardinality();
  }
};
using SameIterator = SameIteratorOf<NoParams>;

// The same, of a data set whose node says what the elements are.
template <class P>
using DeclaredIteratorOf = SameIteratorOf<P, DerivedIterator<P>>;

}  // namespace millrace::ops
