#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/layout/move_kernels.h"

namespace millrace::ops {
namespace {

// Returns `split_dim` as a dimension of `in`.
StatusOr<int> SplitDim(const Tensor& split_dim, const Tensor& in) {
  const int64_t given = IntAt(split_dim, 0);
  const int rank = in.rank();
  const int64_t dim = given < 0 ? given + rank : given;
  if (dim < 0 || dim >= rank) {
    return InvalidArgument("-input rank(-", rank,
                           ") <= split_dim < input rank (", rank, "), but got ",
                           given);
  }
  return static_cast<int>(dim);
}

}  // namespace

Status RunSplit(KernelContext& ctx, const Mover& mover) {
  const Tensor& split_dim = ctx.input(0);
  const Tensor& in = ctx.input(1);
  if (split_dim.rank() != 0) {
    return InvalidArgument("split_dim must be a scalar but has rank ",
                           split_dim.rank());
  }
  MR_ASSIGN_OR_RETURN(const int dim, SplitDim(split_dim, in));
  const int n = ctx.num_outputs();
  if (in.dim(dim) % n != 0) {
    return InvalidArgument(
        "Number of ways to split should evenly divide the split dimension, but "
        "got split_dim ",
        dim, " (size = ", in.dim(dim), ") and num_split ", n);
  }
  if (n == 1) {
    ctx.set_output(0, ctx.TakeInput(1));
    return OkStatus();
  }
  return CutAlong(
      ctx, mover, 1, dim,
      std::vector<int64_t>(static_cast<size_t>(n), in.dim(dim) / n));
}

namespace {

// Returns whether a vector may be shared: as in TensorFlow, all pieces are
// shared or none is.
bool AllPiecesAligned(const Tensor& in, absl::Span<const int64_t> sizes) {
  int64_t end = 0;
  for (const int64_t size : sizes) {
    end += size;
    if (end * static_cast<int64_t>(SizeOf(in.dtype())) %
            static_cast<int64_t>(kBufferAlignment) !=
        0) {
      return false;
    }
  }
  return true;
}

}  // namespace

Status RunSplitV(KernelContext& ctx, const Mover& mover) {
  const Tensor& in = ctx.input(0);
  const Tensor& splits = ctx.input(1);
  const Tensor& split_dim = ctx.input(2);
  const int n = ctx.num_outputs();
  if (split_dim.num_elements() != 1) {
    return InvalidArgument("split_dim_tensor must have exactly one element.");
  }
  MR_ASSIGN_OR_RETURN(const int dim, SplitDim(split_dim, in));
  if (splits.rank() != 1 || splits.num_elements() != n) {
    return InvalidArgument(
        "size of the split_tensor must be 1-D and have the same elements as "
        "outputs got ",
        splits.rank(), " -D and ", splits.num_elements(), " elements");
  }
  std::vector<int64_t> sizes;
  const int64_t whole = in.dim(dim);
  int64_t sum = 0;
  int rest = -1;
  for (int i = 0; i < n; ++i) {
    const int64_t size = IntAt(splits, i);
    sizes.push_back(size);
    if (n == 1 && size != whole) {
      return InvalidArgument(
          "If there is only one output, it must have the same size as the "
          "input. Input size: ",
          whole, " output size: ", size);
    }
    if (size == -1) {
      if (rest >= 0)
        return InvalidArgument("There can only be one -1 in the input.");
      rest = i;
    } else if (size < 0) {
      return InvalidArgument("Split size at index ", i,
                             " must be >= 0. Got: ", size);
    } else if (__builtin_add_overflow(sum, size, &sum)) {
      return InvalidArgument(
          "Determined shape overflows: the sum of the split sizes");
    }
  }
  if (rest >= 0 ? sum > whole : sum != whole) {
    return InvalidArgument(
        "Determined shape must either match input shape along split_dim "
        "exactly if fully "
        "specified, or be less than the size of the input along split_dim if "
        "not fully specified."
        "  Got: ",
        sum);
  }
  if (rest >= 0) sizes[rest] = whole - sum;
  if (n == 1) {
    ctx.set_output(0, ctx.TakeInput(0));
    return OkStatus();
  }
  return CutAlong(ctx, mover, 0, dim, sizes,
                  {.shares_vector = AllPiecesAligned(in, sizes)});
}

MR_KERNELS(Split, Cpu){{.types = "T: " MR_ELEMENT_TYPES ", quint8",
                        .make = MakeOnCpu<MoveBy<RunSplit>>,
                        .host = "split_dim",
                        .views = "value"}};
MR_KERNELS(SplitV, Cpu){{.types = "T: " MR_ELEMENT_TYPES ", quint8",
                         .make = MakeOnCpu<MoveBy<RunSplitV>>,
                         .host = "size_splits, split_dim",
                         .views = "value"}};

}  // namespace millrace::ops
