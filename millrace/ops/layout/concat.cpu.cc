#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {
namespace {

// Concatenates inputs [begin, end) along the axis that input `axis_input`
// holds.
Status ConcatInputs(KernelContext& ctx, const Mover& mover, int begin, int end,
                    int axis_input, absl::string_view axis_name) {
  const Tensor& axis_tensor = ctx.input(axis_input);
  if (axis_tensor.num_elements() != 1) {
    return InvalidArgument(axis_name,
                           " tensor should be a scalar integer, but got shape ",
                           axis_tensor.shape().DebugString());
  }
  const Tensor& first = ctx.input(begin);
  const int rank = first.rank();
  int64_t axis = IntAt(axis_tensor, 0);
  if (axis < -rank || axis >= rank) {
    return InvalidArgument(
        "ConcatOp : Expected concatenating dimensions in the range [", -rank,
        ", ", rank, "), but got ", axis);
  }
  for (int i = begin; i < end; ++i) {
    if (ctx.input(i).rank() == 0) {
      return InvalidArgument(
          "ConcatOp : Can't concatenate scalars (use tf.stack instead)");
    }
  }
  if (axis < 0) axis += rank;
  const int at = static_cast<int>(axis);
  DimVector dims = first.shape().dims();
  CheckedSize joined = 0;
  std::vector<Mover::Part> parts;
  int only = -1;  // index of the only input with elements; -2: several
  for (int i = begin; i < end; ++i) {
    const Tensor& in = ctx.input(i);
    const auto text = [&] {
      return absl::StrCat("shape[0] = ", first.shape().DebugString(),
                          " vs. shape[", i - begin,
                          "] = ", in.shape().DebugString());
    };
    if (in.rank() != rank) {
      return InvalidArgument(
          "ConcatOp : Ranks of all input tensors should match: ", text());
    }
    for (int d = 0; d < rank; ++d) {
      if (d != at && in.dim(d) != dims[d]) {
        return InvalidArgument("ConcatOp : Dimension ", d,
                               " in both shapes must be equal: ", text());
      }
    }
    joined += in.dim(at);
    if (in.num_elements() == 0) continue;
    only = only == -1 ? i : -2;
    parts.push_back({&in, in.shape().NumElements(at, rank)});
  }
  MR_ASSIGN_OR_RETURN(dims[at], joined.Get("the joined dimension"));
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  if (only >= 0) {
    const Tensor taken = ctx.TakeInput(only);
    ctx.set_output(0, taken.Reshaped(std::move(shape)));
    return OkStatus();
  }
  MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, shape));
  if (parts.empty()) return OkStatus();
  return mover.Join(ctx, parts, shape.NumElements(0, at), out);
}

}  // namespace

Status RunConcatV2(KernelContext& ctx, const Mover& mover) {
  const int n = ctx.num_inputs() - 1;
  return ConcatInputs(ctx, mover, 0, n, n, "axis");
}

Status RunConcat(KernelContext& ctx, const Mover& mover) {
  return ConcatInputs(ctx, mover, 1, ctx.num_inputs(), 0, "concat_dim");
}

namespace {

// Returns the sizes as text, up to the largest rank.
std::string FirstSizes(absl::Span<const int64_t> sizes) {
  return absl::StrJoin(sizes.first(std::min<size_t>(sizes.size(), kMaxRank)),
                       " ");
}

Status ConcatOffsetKernel(KernelContext& ctx) {
  const Tensor& dim_tensor = ctx.input(0);
  if (dim_tensor.rank() != 0) {
    return InvalidArgument(
        "Concat dim tensor should be a scalar integer, but got shape ",
        dim_tensor.shape().DebugString());
  }
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    if (ctx.input(i).rank() != 1) {
      return InvalidArgument("input ", i, " should be a vector, but got shape ",
                             ctx.input(i).shape().DebugString());
    }
  }
  const CountedVector<int64_t> first = ManyIntValues(ctx.input(1));
  const int64_t dims = static_cast<int64_t>(first.size());
  const int64_t dim = dim_tensor.scalar<int32_t>();
  const int64_t axis = dim < 0 ? dim + dims : dim;
  if (axis < 0 || axis >= dims) {
    return InvalidArgument("Concat dim is out of range: ", dim, " vs. ", dims);
  }
  // Offsets wrap around in their type, as in stock.
  const bool narrow = ctx.output_type(0) == DataType::kInt32;
  uint64_t offset = 0;
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    const CountedVector<int64_t> shape = ManyIntValues(ctx.input(i));
    if (shape.size() != first.size()) {
      return InvalidArgument("input ", i - 1, " should contain ", dims,
                             " elements, but got ", shape.size());
    }
    for (int64_t j = 0; j < dims; ++j) {
      if (j != axis && shape[j] != first[j]) {
        return InvalidArgument("All dimensions except ", axis,
                               " must match. Input ", i - 1, " has shape [",
                               FirstSizes(shape),
                               "] and doesn't match input 0 with shape [",
                               FirstSizes(first), "].");
      }
    }
    MR_ASSIGN_OR_RETURN(Tensor * out,
                        ctx.AllocateOutput(i - 1, TensorShape({dims})));
    if (narrow) {
      const auto flat = out->mutable_flat<int32_t>();
      std::fill(flat.begin(), flat.end(), 0);
      flat[axis] = static_cast<int32_t>(offset);
    } else {
      const auto flat = out->mutable_flat<int64_t>();
      std::fill(flat.begin(), flat.end(), 0);
      flat[axis] = static_cast<int64_t>(offset);
    }
    offset += static_cast<uint64_t>(shape[axis]);
  }
  return OkStatus();
}

}  // namespace

MR_KERNELS(ConcatV2, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_TYPES,
     .make = MakeOnCpu<MoveBy<RunConcatV2>>,
     .host = "axis"}};
MR_KERNELS(Concat, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_TYPES,
     .make = MakeOnCpu<MoveBy<RunConcat>>,
     .host = "concat_dim"}};
MR_KERNELS(ConcatOffset, Cpu){{.make = MakeFunctionKernel<ConcatOffsetKernel>,
                               .host = "concat_dim, shape, offset",
                               .cheap = true}};

}  // namespace millrace::ops
