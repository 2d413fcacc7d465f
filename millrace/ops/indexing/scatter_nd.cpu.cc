#include <algorithm>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/indexing/accumulate.h"
#include "millrace/ops/indexing/nd_index.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Adds rows in their order on each thread, which has its own columns of the
// slices: the sum of an element is the same for any number of threads.
template <class T>
Status AddSlices(KernelContext& ctx, const Tensor& updates,
                 const NdIndex& index, Tensor* out) {
  const T* src = updates.flat<T>().data();
  T* dst = out->mutable_flat<T>().data();
  const int64_t slice = index.slice();
  const int64_t piece = 64;
  const int64_t pieces = (slice + piece - 1) / piece;
  const int64_t cost = index.rows() * (5 + std::min(slice, piece) / 4);
  return ctx.ParallelFor(pieces, cost, [&](int64_t begin, int64_t end) {
    const int64_t first = begin * piece;
    const int64_t stop = std::min(slice, end * piece);
    for (int64_t r = 0; r < index.rows(); ++r) {
      const int64_t offset = index.Offset(r);
      if (offset < 0) continue;
      for (int64_t i = first; i < stop; ++i)
        Accumulate(dst[offset + i], src[r * slice + i]);
    }
  });
}

struct ScatterNdKernel {
  static StatusOr<ScatterNdKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(BadIndices policy, BadIndicesPolicy(init.node().attrs));
    return ScatterNdKernel{policy};
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& indices = ctx.input(0);
    const Tensor& updates = ctx.input(1);
    if (indices.rank() < 1) {
      return InvalidArgument(
          "Indices shape must have rank at least one. Found:",
          indices.shape().DebugString());
    }
    if (updates.rank() < 1) {
      return InvalidArgument(
          "Updates shape must have rank at least one. Found:",
          updates.shape().DebugString());
    }
    if (ctx.input(2).rank() != 1)
      return InvalidArgument("Shape must be a vector");
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        TensorShape::Make(IntValues(ctx.input(2))));
    if (shape.num_elements() == 0 &&
        (indices.num_elements() > 0 || updates.num_elements() > 0)) {
      return InvalidArgument(
          "Indices and updates specified for empty output.  indices shape: ",
          indices.shape().DebugString());
    }
    const int outer = indices.rank() - 1;
    const int64_t depth = indices.dim(outer);
    MR_RETURN_IF_ERROR(CheckShapes(indices, updates, shape, outer, depth));
    MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, shape));
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    if (updates.num_elements() == 0) return OkStatus();
    const NdIndex index(indices, shape);
    if (policy == BadIndices::kError) {
      for (int64_t r = 0; r < index.rows(); ++r) {
        if (index.Offset(r) < 0) {
          return InvalidArgument(
              "indices", index.PlaceOfRow(r), " = ", index.RowText(r),
              " does not index into shape ", shape.DebugString());
        }
      }
    }
    return Dispatch(Join<NumericTypes, Types<bool, StringElement>>{},
                    updates.dtype(), [&]<class T>() -> Status {
                      return AddSlices<T>(ctx, updates, index, out);
                    });
  }

  static Status CheckShapes(const Tensor& indices, const Tensor& updates,
                            const TensorShape& shape, int outer,
                            int64_t depth) {
    bool prefix = updates.rank() >= outer;
    for (int i = 0; prefix && i < outer; ++i)
      prefix = updates.dim(i) == indices.dim(i);
    if (!prefix) {
      return InvalidArgument(
          "Dimensions [0,", outer,
          ") of indices[shape=", indices.shape().DebugString(),
          "] must match dimensions [0,", outer,
          ") of updates[shape=", updates.shape().DebugString(), "]");
    }
    bool suffix =
        depth <= shape.rank() && updates.rank() - outer == shape.rank() - depth;
    for (int i = outer; suffix && i < updates.rank(); ++i) {
      suffix = updates.dim(i) == shape.dim(static_cast<int>(depth) + i - outer);
    }
    if (!suffix) {
      return InvalidArgument(
          "Dimensions [", depth, ",", shape.rank(),
          ") of input[shape=", shape.DebugString(), "] must match dimensions [",
          outer, ",", updates.rank(),
          ") of updates[shape=", updates.shape().DebugString(), "]");
    }
    return OkStatus();
  }
  BadIndices policy;
};

}  // namespace

MR_KERNELS(ScatterNd, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<ScatterNdKernel>,
     .host = "shape"}};

}  // namespace millrace::ops
