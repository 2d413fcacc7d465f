// SlidingWindowDataset: batches that overlap, or that leave elements out.
#include <deque>

#include "millrace/ops/data/elements_charge.h"
#include "millrace/ops/data/slices.h"
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

struct SlidingParams {
  int64_t size = 1, shift = 1, stride = 1;
  bool drop_remainder = true;
  int64_t span = 1;  // elements of the input from the first to the last
};

class SlidingIterator final : public DerivedIterator<SlidingParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    MR_ASSIGN_OR_RETURN(const Pull skipped, Skip(ctx));
    if (skipped != Pull::kElement) return skipped;
    MR_ASSIGN_OR_RETURN(const Pull filled, Fill(ctx));
    if (filled != Pull::kElement) return filled;
    const int64_t have = Buffered();
    if (have == 0 || (have < params().span && params().drop_remainder)) {
      buffer_.clear();
      charge_.Clear();
      return Pull::kEnd;
    }
    std::vector<Element> window;
    for (int64_t i = 0; i < have; i += params().stride) {
      window.push_back(buffer_[static_cast<size_t>(i)]);
    }
    const int64_t drop = std::min(params().shift, have);
    for (int64_t i = 0; i < drop; ++i) {
      charge_.Remove(buffer_.front());
      buffer_.pop_front();
    }
    to_skip_ = params().shift - drop;
    MR_ASSIGN_OR_RETURN(*out, Stack(window, ctx.runtime().allocator()));
    return Pull::kElement;
  }

  Status Save(StateWriter& out, const std::string& prefix) override {
    out.Int(prefix + "to_skip", to_skip_);
    out.Int(prefix + "buffered", Buffered());
    for (size_t i = 0; i < buffer_.size(); ++i) {
      out.Element(absl::StrCat(prefix, "buffer", i), buffer_[i]);
    }
    return SaveInput(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    MR_ASSIGN_OR_RETURN(to_skip_, in.Count(prefix + "to_skip", params().shift));
    MR_ASSIGN_OR_RETURN(const int64_t count,
                        in.Size(prefix + "buffered", params().span));
    for (int64_t i = 0; i < count; ++i) {
      MR_ASSIGN_OR_RETURN(Element element,
                          in.Element(absl::StrCat(prefix, "buffer", i),
                                     dataset().input().signature().types));
      MR_RETURN_IF_ERROR(charge_.Add(element));
      buffer_.push_back(std::move(element));
    }
    return RestoreInput(in, prefix);
  }

  static ElementSignature Signature(const Inputs& inputs,
                                    const SlidingParams&) {
    ElementSignature windows = inputs[0]->signature();
    for (PartialShape& shape : windows.shapes) {
      shape = PartialShape({kUnknownDim}).Concatenate(shape);
    }
    return windows;
  }
  // Stock's numbers, which count windows that are not full.
  static int64_t Cardinality(const Parts& d) {
    const int64_t n = d.input().Cardinality();
    if (n < 0) return n;
    const SlidingParams& p = d.params();
    return n / p.shift + (n % p.shift > 0 && !p.drop_remainder);
  }

 private:
  int64_t Buffered() const { return static_cast<int64_t>(buffer_.size()); }

  // Passes over the elements between two windows. kElement: that is done. An
  // error counts as an element.
  StatusOr<Pull> Skip(PollContext& ctx) {
    while (to_skip_ > 0 && input_ != nullptr) {
      Element passed;
      const StatusOr<Pull> pull = ctx.Next(*input_, &passed);
      if (pull.ok() && *pull == Pull::kPending) return pull;
      --to_skip_;
      MR_RETURN_IF_ERROR(pull.status());
      if (*pull == Pull::kEnd) input_ = nullptr;
    }
    return Pull::kElement;
  }

  // Gathers the elements that a window spans, as far as there are some.
  // kElement: that is done.
  StatusOr<Pull> Fill(PollContext& ctx) {
    while (input_ != nullptr && Buffered() < params().span) {
      Element element;
      MR_ASSIGN_OR_RETURN(const Pull pull, ctx.Next(*input_, &element));
      if (pull == Pull::kPending) return pull;
      if (pull == Pull::kEnd) {
        input_ = nullptr;
      } else {
        MR_RETURN_IF_ERROR(charge_.Add(element));
        buffer_.push_back(std::move(element));
      }
    }
    return Pull::kElement;
  }

  std::deque<Element> buffer_;
  ElementsCharge charge_{"a window"};
  int64_t to_skip_ = 0;
};

StatusOr<Ref<DatasetValue>> BuildSliding(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  SlidingParams p;
  MR_ASSIGN_OR_RETURN(p.size, ScalarInput<int64_t>(ctx, 1, "window_size"));
  if (p.size <= 0) {
    return InvalidArgument("Window size must be greater than zero.");
  }
  MR_ASSIGN_OR_RETURN(p.shift, ScalarInput<int64_t>(ctx, 2, "window_shift"));
  if (p.shift <= 0) {
    return InvalidArgument("Window shift must be greater than zero.");
  }
  MR_ASSIGN_OR_RETURN(p.stride, ScalarInput<int64_t>(ctx, 3, "window_stride"));
  if (p.stride <= 0) {
    return InvalidArgument("window_stride must be greater than zero.");
  }
  if (ctx.node().attrs.Find("drop_remainder") != nullptr) {
    MR_ASSIGN_OR_RETURN(p.drop_remainder,
                        GetAttr<bool>(ctx.node().attrs, "drop_remainder"));
  }
  if (__builtin_mul_overflow(p.size - 1, p.stride, &p.span) ||
      __builtin_add_overflow(p.span, 1, &p.span)) {
    return InvalidArgument("window of ", p.size, " elements with stride ",
                           p.stride, " is too long");
  }
  return MakeDataset<SlidingIterator>(ctx, {input}, p);
}

}  // namespace

MR_KERNELS(SlidingWindowDataset, Cpu){MR_DATASET_KERNEL(BuildSliding)};
MR_KERNELS(ExperimentalSlidingWindowDataset,
           Cpu){MR_DATASET_KERNEL(BuildSliding)};

}  // namespace millrace::ops
