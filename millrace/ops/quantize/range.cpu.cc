#include "millrace/ops/quantize/range.h"

#include "millrace/kernel/kernel.h"

namespace millrace::ops {
namespace {

const std::string& InputName(const KernelContext& ctx, int i) {
  return ctx.node().op->inputs[static_cast<size_t>(i)].name;
}

}  // namespace

StatusOr<Range> RangeInput(KernelContext& ctx, int min, int max) {
  return RangeInput(ctx, min, max, InputName(ctx, min), InputName(ctx, max));
}

StatusOr<Range> RangeInput(KernelContext& ctx, int min, int max,
                           const std::string& min_name,
                           const std::string& max_name) {
  for (const int i : {min, max}) {
    const int rank = ctx.input(i).rank();
    if (rank != 0) {
      return InvalidArgument("`", i == min ? min_name : max_name,
                             "` must be rank 0 but is rank ", rank);
    }
  }
  return Range{ctx.input(min).scalar<float>(), ctx.input(max).scalar<float>()};
}

StatusOr<Range> ScalarRangeInput(KernelContext& ctx, int min, int max) {
  for (const int i : {min, max}) {
    if (ctx.input(i).rank() != 0) {
      return InvalidArgument(InputName(ctx, i),
                             " must be a scalar, but got shape ",
                             ctx.input(i).shape().DebugString());
    }
  }
  return RangeInput(ctx, min, max);
}

StatusOr<Range> OneElementRange(KernelContext& ctx, int min, int max,
                                absl::string_view name) {
  for (const int i : {min, max}) {
    if (ctx.input(i).num_elements() != 1) {
      return InvalidArgument(name, i == min ? "_min" : "_max",
                             " must have 1 element, but has ",
                             ctx.input(i).num_elements());
    }
  }
  return Range{ctx.input(min).scalar<float>(), ctx.input(max).scalar<float>()};
}

Status SetRange(KernelContext& ctx, int first, Range r) {
  MR_ASSIGN_OR_RETURN(Tensor* const min,
                      ctx.AllocateOutput(first, TensorShape()));
  min->mutable_flat<float>()[0] = r.min;
  MR_ASSIGN_OR_RETURN(Tensor* const max,
                      ctx.AllocateOutput(first + 1, TensorShape()));
  max->mutable_flat<float>()[0] = r.max;
  return OkStatus();
}

}  // namespace millrace::ops
