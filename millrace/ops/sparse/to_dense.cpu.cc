
#include "millrace/ops/sparse/checks/to_dense.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
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
    MR_ASSIGN_OR_RETURN(const TensorShape shape, SparseToDenseShape(ctx));
    MR_ASSIGN_OR_RETURN(const CountedVector<int64_t> places,
                        Places(ManyIntValues(ctx.input(0)),
                               NumDenseEntries(ctx.input(0)), shape));
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
  // Returns the index in the output of each entry.
  StatusOr<CountedVector<int64_t>> Places(
      const CountedVector<int64_t>& coordinates, int64_t count,
      const TensorShape& shape) const {
    const auto rank = static_cast<size_t>(shape.rank());
    const DimVector dims = shape.dims();
    const DimVector strides = RowMajorStrides(dims);
    CountedVector<int64_t> places(static_cast<size_t>(count));
    for (size_t i = 0; i < places.size(); ++i) {
      const absl::Span<const int64_t> row =
          absl::MakeConstSpan(coordinates).subspan(i * rank, rank);
      int64_t place = 0;
      for (size_t d = 0; d < rank; ++d) {
        if (row[d] < 0 || row[d] >= dims[d]) {
          return BadEntryError(BadEntry::kOutOfBounds, static_cast<int64_t>(i),
                               row, shape, validate_);
        }
        place += row[d] * strides[d];
      }
      places[i] = place;
      if (!validate_ || i == 0 || place > places[i - 1]) continue;
      return BadEntryError(
          place == places[i - 1] ? BadEntry::kRepeated : BadEntry::kOutOfOrder,
          static_cast<int64_t>(i), row, shape, validate_);
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
