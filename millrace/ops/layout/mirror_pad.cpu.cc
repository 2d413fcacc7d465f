#include <algorithm>
#include <vector>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/indexing/accumulate.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// 0: the edge itself is repeated; 1: it is not.
StatusOr<int64_t> EdgeOffset(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(std::string mode, init.Attr<std::string>("mode"));
  if (mode == "SYMMETRIC") return 0;
  if (mode == "REFLECT") return 1;
  return InvalidArgument("mode must be either REFLECT or SYMMETRIC, got ",
                         mode);
}

// For each place of a padded dimension the place inside that it mirrors,
// times `stride`.
std::vector<int64_t> MirrorMap(int64_t size, int64_t before, int64_t after,
                               int64_t edge, int64_t stride) {
  std::vector<int64_t> map;
  map.reserve(static_cast<size_t>(before + size + after));
  for (int64_t i = before; i > 0; --i) map.push_back((i - 1 + edge) * stride);
  for (int64_t i = 0; i < size; ++i) map.push_back(i * stride);
  for (int64_t i = 0; i < after; ++i)
    map.push_back((size - 1 - edge - i) * stride);
  return map;
}

using Maps = std::vector<std::vector<int64_t>>;

// A map for each dimension of a tensor with dimensions `dims`.
Maps MirrorMaps(const DimVector& dims, const Tensor& paddings, int64_t edge) {
  const DimVector strides = RowMajorStrides(dims);
  Maps maps;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t d = static_cast<int64_t>(i);
    maps.push_back(MirrorMap(dims[i], IntAt(paddings, 2 * d),
                             IntAt(paddings, 2 * d + 1), edge, strides[i]));
  }
  return maps;
}

// What the maps take, which is more than small elements of few dimensions do.
Status ChargeMaps(const DimVector& padded, MemoryCharge* charge) {
  int64_t places = 0;
  for (const int64_t size : padded) places += size;
  return charge->Set(places * static_cast<int64_t>(sizeof(int64_t)),
                     "the mirrored places");
}

// A row of `paddings` for each dimension of `in`.
Status CheckPaddings(const Tensor& in, const Tensor& paddings) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2) {
    return InvalidArgument("paddings must be a matrix with 2 columns: ",
                           paddings.shape().DebugString());
  }
  if (paddings.dim(0) != in.rank()) {
    return InvalidArgument(
        "The first dimension of paddings must be the rank of inputs",
        paddings.shape().DebugString(), ", ", in.shape().DebugString());
  }
  return OkStatus();
}

// A dimension of `size` has as many places to mirror. `whose` tells it apart:
// "" or "output ".
Status CheckMirrored(int64_t before, int64_t after, int64_t size, int64_t edge,
                     absl::string_view whose) {
  if (edge == 0 && (before > size || after > size)) {
    return InvalidArgument("paddings must be no greater than the ", whose,
                           "dimension size: ", before, ", ", after,
                           " greater than ", size);
  }
  if (edge == 1 && (before >= size || after >= size)) {
    return InvalidArgument("paddings must be less than the ", whose,
                           "dimension size: ", before, ", ", after,
                           " not less than ", size);
  }
  return OkStatus();
}

struct MirrorPadKernel {
  static StatusOr<MirrorPadKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(int64_t edge, EdgeOffset(init));
    return MirrorPadKernel{edge};
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    const Tensor& paddings = ctx.input(1);
    const int rank = in.rank();
    MR_RETURN_IF_ERROR(CheckPaddings(in, paddings));
    DimVector dims;
    for (int i = 0; i < rank; ++i) {
      const int64_t before = IntAt(paddings, 2 * i);
      const int64_t after = IntAt(paddings, 2 * i + 1);
      if (before < 0 || after < 0) {
        return InvalidArgument("paddings must be non-negative: ", before, " ",
                               after);
      }
      MR_RETURN_IF_ERROR(CheckMirrored(before, after, in.dim(i), edge, ""));
      MR_ASSIGN_OR_RETURN(
          int64_t d,
          (CheckedSize(in.dim(i)) + before + after).Get("a padded dimension"));
      dims.push_back(d);
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    if (shape == in.shape()) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(ChargeMaps(dims, &charge));
    const Maps maps = MirrorMaps(in.shape().dims(), paddings, edge);
    const int64_t before = IntAt(paddings, 2 * (rank - 1));
    return DispatchBySize(in.dtype(), [&]<class T>() -> Status {
      return CopyMirrored(ctx, reinterpret_cast<const T*>(in.data()),
                          reinterpret_cast<T*>(out->mutable_data()), dims, maps,
                          before, in.dim(rank - 1), in.dtype());
    });
  }

  // By rows of the innermost dimension, whose middle is copied in one piece.
  template <class T>
  static Status CopyMirrored(KernelContext& ctx, const T* src, T* dst,
                             const DimVector& dims, const Maps& maps,
                             int64_t before, int64_t middle, DataType type) {
    const DimVector row_dims(dims.begin(), dims.end() - 1);
    const int64_t length = dims.back();
    const std::vector<int64_t>& last = maps.back();
    int64_t rows = 1;
    for (int64_t d : row_dims) rows *= d;
    return ctx.ParallelFor(
        rows, MoveCost(type, length) + 10, [&](int64_t begin, int64_t end) {
          DimVector at = Coordinates(begin, row_dims);
          for (int64_t r = begin; r < end; ++r) {
            const T* from = src;
            for (size_t d = 0; d < row_dims.size(); ++d) from += maps[d][at[d]];
            T* to = dst + r * length;
            for (int64_t i = 0; i < before; ++i) to[i] = from[last[i]];
            std::copy_n(from, middle, to + before);
            for (int64_t i = before + middle; i < length; ++i)
              to[i] = from[last[i]];
            for (int d = static_cast<int>(row_dims.size()) - 1;
                 d >= 0 && ++at[d] == row_dims[d]; --d) {
              at[d] = 0;
            }
          }
        });
  }
  int64_t edge;
};

struct MirrorPadGradKernel {
  static StatusOr<MirrorPadGradKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(int64_t edge, EdgeOffset(init));
    return MirrorPadGradKernel{edge};
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    const Tensor& paddings = ctx.input(1);
    const int rank = in.rank();
    MR_RETURN_IF_ERROR(CheckPaddings(in, paddings));
    DimVector dims;
    for (int i = 0; i < rank; ++i) {
      const int64_t before = IntAt(paddings, 2 * i);
      const int64_t after = IntAt(paddings, 2 * i + 1);
      if (before < 0 || after < 0) {
        return InvalidArgument("Paddings must be non-negative: ", before, ", ",
                               after);
      }
      const CheckedSize both = CheckedSize(before) + after;
      if (!both.ok() || both.value() > in.dim(i) ||
          (both.value() == in.dim(i) && both.value() > 0)) {
        return InvalidArgument(
            "Total paddings must be less than the input dimension size: ",
            both.ok() ? both.value() : -1, " was not less than ", in.dim(i));
      }
      const int64_t size = in.dim(i) - both.value();
      if (both.value() > 0) {
        MR_RETURN_IF_ERROR(CheckMirrored(before, after, size, edge, "output "));
      }
      dims.push_back(size);
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    if (shape == in.shape()) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(ChargeMaps(in.shape().dims(), &charge));
    const Maps maps = MirrorMaps(dims, paddings, edge);
    return Dispatch(NumericTypes{}, in.dtype(), [&]<class T>() -> Status {
      return AddMirrored<T>(ctx, in, out, maps);
    });
  }

  // Rows of leading dimensions without padding go to places of their own, so
  // threads may share them out; all else is added up in order.
  template <class T>
  static Status AddMirrored(KernelContext& ctx, const Tensor& in, Tensor* out,
                            const Maps& maps) {
    const int rank = in.rank();
    int64_t groups = 1;
    for (int d = 0; d < rank - 1 && in.dim(d) == out->dim(d); ++d)
      groups *= in.dim(d);
    const DimVector dims = in.shape().dims();
    const DimVector row_dims(dims.begin(), dims.end() - 1);
    const int64_t length = dims.back();
    const int64_t rows = in.num_elements() / length / groups;  // of a group
    const T* src = in.flat<T>().data();
    T* dst = out->mutable_flat<T>().data();
    const std::vector<int64_t>& last = maps.back();
    return ctx.ParallelFor(
        groups, rows * length * 2, [&](int64_t begin, int64_t end) {
          DimVector at = Coordinates(begin * rows, row_dims);
          for (int64_t r = begin * rows; r < end * rows; ++r) {
            T* to = dst;
            for (int d = 0; d < rank - 1; ++d) to += maps[d][at[d]];
            const T* from = src + r * length;
            for (int64_t i = 0; i < length; ++i) {
              Accumulate(to[last[i]], from[i]);
            }
            for (int d = rank - 2; d >= 0 && ++at[d] == row_dims[d]; --d)
              at[d] = 0;
          }
        });
  }
  int64_t edge;
};

}  // namespace

MR_KERNELS(MirrorPad, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_8_32_TYPES,
     .make = MakeKernel<MirrorPadKernel>,
     .host = "paddings",
     .views = "input"}};
MR_KERNELS(MirrorPadGrad, Cpu){{.types = "T: " MR_NUMBER_TYPES,
                                .make = MakeKernel<MirrorPadGradKernel>,
                                .host = "paddings",
                                .views = "input"}};

}  // namespace millrace::ops
