#include <algorithm>
#include <vector>

#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/array/shape_rules.op.h"
#include "millrace/ops/indexing/accumulate.h"
#include "millrace/ops/layout/move_kernels.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

StatusOr<int64_t> MirrorEdge(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(std::string mode, init.Attr<std::string>("mode"));
  if (mode == "SYMMETRIC") return 0;
  if (mode == "REFLECT") return 1;
  return InvalidArgument("mode must be either REFLECT or SYMMETRIC, got ",
                         mode);
}

namespace {

// Returns, for each position of a padded dimension, the inner position that it
// mirrors, times `stride`.
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

// Returns a map for each dimension of a tensor with dimensions `dims`.
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

// Charges the maps, which take more memory than tensors of small elements and
// few dimensions.
Status ChargeMaps(const DimVector& padded, MemoryCharge* charge) {
  int64_t places = 0;
  for (const int64_t size : padded) places += size;
  return charge->Set(places * static_cast<int64_t>(sizeof(int64_t)),
                     "the mirrored places");
}

// Checks that `paddings` has a row for each dimension of `in`.
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

// Checks that a dimension of `size` has enough elements to mirror. `whose` is
// "" or "output ", for the message.
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

// Returns the size of a dimension of `size` with paddings.
StatusOr<int64_t> SizeWith(int64_t before, int64_t after, int64_t size,
                           int64_t edge) {
  if (before < 0 || after < 0) {
    return InvalidArgument("paddings must be non-negative: ", before, " ",
                           after);
  }
  MR_RETURN_IF_ERROR(CheckMirrored(before, after, size, edge, ""));
  return (CheckedSize(size) + before + after).Get("a padded dimension");
}

// Returns the size of a dimension of `size` without its paddings.
StatusOr<int64_t> SizeWithout(int64_t before, int64_t after, int64_t size,
                              int64_t edge) {
  if (before < 0 || after < 0) {
    return InvalidArgument("Paddings must be non-negative: ", before, ", ",
                           after);
  }
  const CheckedSize both = CheckedSize(before) + after;
  if (!both.ok() || both.value() > size ||
      (both.value() == size && both.value() > 0)) {
    return InvalidArgument(
        "Total paddings must be less than the input dimension size: ",
        both.ok() ? both.value() : -1, " was not less than ", size);
  }
  const int64_t inside = size - both.value();
  if (both.value() > 0) {
    MR_RETURN_IF_ERROR(CheckMirrored(before, after, inside, edge, "output "));
  }
  return inside;
}

template <class Size>
StatusOr<std::vector<PaddedDim>> PlanMirror(const Tensor& in,
                                            const Tensor& paddings,
                                            int64_t edge, Size&& size_of) {
  MR_RETURN_IF_ERROR(CheckPaddings(in, paddings));
  std::vector<PaddedDim> dims;
  for (int i = 0; i < in.rank(); ++i) {
    const int64_t before = IntAt(paddings, 2 * i);
    const int64_t after = IntAt(paddings, 2 * i + 1);
    MR_ASSIGN_OR_RETURN(const int64_t size,
                        size_of(before, after, in.dim(i), edge));
    dims.push_back({size, before, after});
  }
  return dims;
}

}  // namespace

StatusOr<std::vector<PaddedDim>> PlanMirrorPad(const Tensor& in,
                                               const Tensor& paddings,
                                               int64_t edge) {
  MR_ASSIGN_OR_RETURN(std::vector<PaddedDim> dims,
                      PlanMirror(in, paddings, edge, SizeWith));
  for (int i = 0; i < in.rank(); ++i) dims[i].size = in.dim(i);
  return dims;
}

StatusOr<std::vector<PaddedDim>> PlanMirrorPadGrad(const Tensor& in,
                                                   const Tensor& paddings,
                                                   int64_t edge) {
  return PlanMirror(in, paddings, edge, SizeWithout);
}

namespace {

// Calls f(row, place) for rows [begin, end) of the innermost dimension of a
// padded tensor: `place` is where the mirrored row begins in the inner tensor.
template <class F>
void ForMirroredRows(const DimVector& padded, const Maps& maps, int64_t begin,
                     int64_t end, F f) {
  const DimVector row_dims(padded.begin(), padded.end() - 1);
  DimVector at = Coordinates(begin, row_dims);
  for (int64_t r = begin; r < end; ++r) {
    int64_t place = 0;
    for (size_t d = 0; d < row_dims.size(); ++d) place += maps[d][at[d]];
    f(r, place);
    for (int d = static_cast<int>(row_dims.size()) - 1;
         d >= 0 && ++at[d] == row_dims[d]; --d) {
      at[d] = 0;
    }
  }
}

// Copies row by row; the middle of a row is copied in one piece. `before`
// elements of each row of `padded` precede it.
template <class T>
Status CopyMirrored(KernelContext& ctx, const Tensor& inside, const Maps& maps,
                    int64_t before, Tensor* padded) {
  const auto* src = reinterpret_cast<const T*>(inside.data());
  T* dst = reinterpret_cast<T*>(padded->mutable_data());
  const DimVector dims = padded->shape().dims();
  const int64_t length = dims.back();
  const int64_t middle = inside.dim(inside.rank() - 1);
  const std::vector<int64_t>& last = maps.back();
  return ctx.ParallelFor(
      padded->num_elements() / length, MoveCost(inside.dtype(), length) + 10,
      [&](int64_t begin, int64_t end) {
        ForMirroredRows(dims, maps, begin, end,
                        [&](int64_t row, int64_t place) {
                          const T* from = src + place;
                          T* to = dst + row * length;
                          for (int64_t i = 0; i < before; ++i)
                            to[i] = from[last[i]];
                          std::copy_n(from, middle, to + before);
                          for (int64_t i = before + middle; i < length; ++i) {
                            to[i] = from[last[i]];
                          }
                        });
      });
}

// Adds up gradients. Rows of leading dimensions without padding have their own
// destinations, so threads may share them; all else is added up in order.
template <class T>
Status AddMirrored(KernelContext& ctx, const Tensor& padded, const Maps& maps,
                   Tensor* inside) {
  int64_t groups = 1;
  for (int d = 0; d < padded.rank() - 1 && padded.dim(d) == inside->dim(d);
       ++d) {
    groups *= padded.dim(d);
  }
  const DimVector dims = padded.shape().dims();
  const int64_t length = dims.back();
  const int64_t rows = padded.num_elements() / length / groups;  // in a group
  const T* src = padded.flat<T>().data();
  T* dst = inside->mutable_flat<T>().data();
  const std::vector<int64_t>& last = maps.back();
  return ctx.ParallelFor(
      groups, rows * length * 2, [&](int64_t begin, int64_t end) {
        ForMirroredRows(dims, maps, begin * rows, end * rows,
                        [&](int64_t row, int64_t place) {
                          const T* from = src + row * length;
                          T* to = dst + place;
                          for (int64_t i = 0; i < length; ++i) {
                            Accumulate(to[last[i]], from[i]);
                          }
                        });
      });
}

enum class Mirror {
  kCopied,  // paddings are added around the input
  kFolded,  // the input's paddings are added to what they mirror
};

template <Mirror kMirror>
struct MirrorPadKernel {
  static StatusOr<MirrorPadKernel> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(int64_t edge, MirrorEdge(init));
    return MirrorPadKernel{edge};
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& in = ctx.input(0);
    const Tensor& paddings = ctx.input(1);
    MR_ASSIGN_OR_RETURN(const std::vector<PaddedDim> plan,
                        kMirror == Mirror::kCopied
                            ? PlanMirrorPad(in, paddings, edge)
                            : PlanMirrorPadGrad(in, paddings, edge));
    DimVector sizes;
    for (const PaddedDim& p : plan) {
      sizes.push_back(kMirror == Mirror::kCopied ? p.total() : p.size);
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(sizes));
    if (shape == in.shape()) {
      ctx.set_output(0, ctx.TakeInput(0));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor * out, ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    const bool copied = kMirror == Mirror::kCopied;
    const Tensor& padded = copied ? *out : in;
    const Tensor& inside = copied ? in : *out;
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(ChargeMaps(padded.shape().dims(), &charge));
    const Maps maps = MirrorMaps(inside.shape().dims(), paddings, edge);
    if constexpr (kMirror == Mirror::kCopied) {
      const int64_t before = IntAt(paddings, 2 * (in.rank() - 1));
      return DispatchBySize(in.dtype(), [&]<class T>() -> Status {
        return CopyMirrored<T>(ctx, in, maps, before, out);
      });
    } else {
      MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
      return Dispatch(NumericTypes{}, in.dtype(), [&]<class T>() -> Status {
        return AddMirrored<T>(ctx, in, maps, out);
      });
    }
  }

  int64_t edge;
};

}  // namespace

MR_KERNELS(MirrorPad, Cpu){
    {.types = "T: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_8_32_TYPES,
     .make = MakeKernel<MirrorPadKernel<Mirror::kCopied>>,
     .host = "paddings",
     .views = "input"}};
MR_KERNELS(MirrorPadGrad,
           Cpu){{.types = "T: " MR_NUMBER_TYPES,
                 .make = MakeKernel<MirrorPadKernel<Mirror::kFolded>>,
                 .host = "paddings",
                 .views = "input"}};

}  // namespace millrace::ops
