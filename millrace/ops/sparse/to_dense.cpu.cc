#include <vector>

#include "absl/strings/str_join.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/sparse/entries.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

class SparseToDenseKernel {
 public:
  static StatusOr<SparseToDenseKernel> Make(const KernelInit& init) {
    SparseToDenseKernel k;
    MR_ASSIGN_OR_RETURN(k.validate_, init.Attr<bool>("validate_indices"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& values = ctx.input(2);
    MR_RETURN_IF_ERROR(CheckShapes(ctx));
    MR_ASSIGN_OR_RETURN(const TensorShape shape, ShapeFromTensor(ctx.input(1)));
    MemoryCharge charge;
    MR_ASSIGN_OR_RETURN(const std::vector<int64_t> places,
                        Places(IntValues(ctx.input(0)),
                               NumEntries(ctx.input(0)), shape, &charge));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    MR_RETURN_IF_ERROR(FillTensor(ctx, out, ctx.input(3).data()));
    const int64_t step = values.rank() == 0 ? 0 : 1;
    return DispatchBySize(values.dtype(), [&]<class T>() -> Status {
      const T* x = reinterpret_cast<const T*>(values.data());
      T* const z = reinterpret_cast<T*>(out->mutable_data());
      for (const int64_t place : places) {
        z[place] = *x;
        x += step;
      }
      return OkStatus();
    });
  }

 private:
  static int64_t NumEntries(const Tensor& indices) {
    return indices.rank() > 0 ? indices.dim(0) : 1;
  }

  static Status CheckShapes(KernelContext& ctx) {
    const Tensor& indices = ctx.input(0);
    const Tensor& shape = ctx.input(1);
    const Tensor& values = ctx.input(2);
    if (indices.rank() > 2) {
      return InvalidArgument(
          "sparse_indices should be a scalar, vector, or matrix, got shape ",
          indices.shape().DebugString());
    }
    const int64_t rank = indices.rank() > 1 ? indices.dim(1) : 1;
    if (shape.rank() != 1) {
      return InvalidArgument("output_shape must be rank 1, got shape ",
                             shape.shape().DebugString());
    }
    if (shape.num_elements() != rank) {
      return InvalidArgument("output_shape has incorrect number of elements: ",
                             shape.num_elements(), " should be: ", rank);
    }
    const int64_t count = NumEntries(indices);
    if (values.rank() != 0 && (values.rank() != 1 || values.dim(0) != count)) {
      return InvalidArgument("sparse_values has incorrect shape ",
                             values.shape().DebugString(),
                             ", should be [] or [", count, "]");
    }
    if (ctx.input(3).rank() != 0) {
      return InvalidArgument("default_value should be a scalar.");
    }
    return OkStatus();
  }

  // Returns the index in the output of each entry.
  StatusOr<std::vector<int64_t>> Places(const std::vector<int64_t>& coordinates,
                                        int64_t count, const TensorShape& shape,
                                        MemoryCharge* charge) const {
    const auto rank = static_cast<size_t>(shape.rank());
    const DimVector dims = shape.dims();
    const DimVector strides = RowMajorStrides(dims);
    MR_RETURN_IF_ERROR(charge->Set(count * 8, "the places of entries"));
    std::vector<int64_t> places(static_cast<size_t>(count));
    for (size_t i = 0; i < places.size(); ++i) {
      const absl::Span<const int64_t> row =
          absl::MakeConstSpan(coordinates).subspan(i * rank, rank);
      int64_t place = 0;
      for (size_t d = 0; d < rank; ++d) {
        if (row[d] < 0 || row[d] >= dims[d]) {
          if (!validate_) {
            return InvalidArgument(
                "Indices are not valid (out of bounds).  Shape: ",
                shape.DebugString());
          }
          return OutOfBounds(static_cast<int64_t>(i), row, dims);
        }
        place += row[d] * strides[d];
      }
      places[i] = place;
      if (!validate_ || i == 0 || place > places[i - 1]) continue;
      return InvalidArgument(
          "indices[", i, "] is ",
          place == places[i - 1]
              ? "repeated"
              : "out of order. Many sparse ops require sorted indices; "
                "SparseReorder gives them",
          ": [", absl::StrJoin(row, ","), "]");
    }
    return places;
  }

  bool validate_ = true;
};

}  // namespace

MR_KERNELS(SparseToDense, Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES
                                         ", qint8, quint8, qint16, quint16",
                                .make = MakeKernel<SparseToDenseKernel>,
                                .host = "output_shape"}};

}  // namespace millrace::ops
