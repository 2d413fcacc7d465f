#include <algorithm>

#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/indexing/gather_rows.h"
#include "millrace/ops/state/resource_gather.h"
#include "millrace/ops/state/row_index.h"
#include "millrace/ops/state/variable_lookup.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Reads under row locks: an embedding table is never copied as a whole.
class ResourceGatherKernel {
  // The time to find a row in memory.
  static constexpr int64_t kRowNanos = 15;

 public:
  static StatusOr<ResourceGatherKernel> Make(const KernelInit& init) {
    ResourceGatherKernel k;
    MR_ASSIGN_OR_RETURN(k.dtype_, init.Attr<DataType>("dtype"));
    MR_ASSIGN_OR_RETURN(k.batch_dims_, ResourceGatherBatchDims(init));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Ref<Variable> variable, LookupVariable(ctx, 0));
    if (variable->dtype() != dtype_) {
      return InvalidArgument(
          "Trying to read variable with wrong dtype. Expected ",
          DataTypeName(variable->dtype()), " got ", DataTypeName(dtype_));
    }
    const Tensor& indices = ctx.input(1);
    Variable* const pointer = variable.get();
    MR_ASSIGN_OR_RETURN(const VariableRows rows,
                        VariableRows::Make({&pointer, 1}, VariableRows::kRead,
                                           ctx.allocator()));
    const TensorShape& shape = rows.value(0).shape();
    MR_ASSIGN_OR_RETURN(
        TensorShape result,
        ResourceGatherShape(shape, indices.shape(), batch_dims_));
    const int batch = static_cast<int>(batch_dims_);
    const int64_t batches = shape.NumElements(0, batch);
    const int64_t n = shape.NumElements(batch + 1, shape.rank());
    const int64_t limit = shape.dim(batch);
    const CountedVector<int64_t> places = ManyIntValues(indices);
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] < 0 || places[i] >= limit) {
        return BadRowIndex(indices, static_cast<int64_t>(i), places[i], limit);
      }
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(result)));
    // There is a lock for groups of the variable's rows, which are those of
    // dimension 0.
    const int64_t row_elements = shape.NumElements(1, shape.rank());
    if (out->num_elements() == 0) return OkStatus();
    const int64_t count = static_cast<int64_t>(places.size()) / batches;
    const auto start = [&](int64_t i) {
      return (i / count * limit + places[static_cast<size_t>(i)]) * n;
    };
    return DispatchBySize(dtype_, [&]<class T>() -> Status {
      const T* from = reinterpret_cast<const T*>(rows.value(0).data());
      T* to = reinterpret_cast<T*>(out->mutable_data());
      return ctx.ParallelFor(
          static_cast<int64_t>(places.size()), MoveCost(dtype_, n) + kRowNanos,
          [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              if (i + kGatherAhead < end) {
                AskForSlice(from + start(i + kGatherAhead),
                            n * static_cast<int64_t>(sizeof(T)));
              }
              const auto lock = rows.Lock(start(i) / row_elements);
              std::copy_n(from + start(i), n, to + i * n);
            }
          });
    });
  }

 private:
  DataType dtype_ = DataType::kInvalid;
  int64_t batch_dims_ = 0;
};

}  // namespace

StatusOr<int64_t> ResourceGatherBatchDims(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const int64_t batch_dims,
                      init.Attr<int64_t>("batch_dims"));
  MR_RETURN_IF_ERROR(CheckInt32Attr("batch_dims", batch_dims));
  if (batch_dims < 0) {
    return InvalidArgument("batch_dims is negative (", batch_dims, ")");
  }
  return batch_dims;
}

StatusOr<TensorShape> ResourceGatherShape(const TensorShape& params,
                                          const TensorShape& indices,
                                          int64_t batch_dims) {
  if (batch_dims > indices.rank() || batch_dims >= std::max(params.rank(), 1)) {
    return InvalidArgument(
        "batch_dims ", batch_dims, " is out of range for params of shape ",
        params.DebugString(), " and indices of shape ", indices.DebugString());
  }
  if (params.rank() == 0) {
    return InvalidArgument("params must be at least 1 dimensional");
  }
  const int batch = static_cast<int>(batch_dims);
  DimVector dims;
  for (int d = 0; d < batch; ++d) {
    if (indices.dim(d) != params.dim(d)) {
      return InvalidArgument("params.shape[", d, "]: ", params.dim(d),
                             " should be equal to indices.shape[", d,
                             "]: ", indices.dim(d));
    }
    dims.push_back(params.dim(d));
  }
  for (int d = batch; d < indices.rank(); ++d) dims.push_back(indices.dim(d));
  for (int d = batch + 1; d < params.rank(); ++d) dims.push_back(params.dim(d));
  return TensorShape::Make(dims);
}

#define MR_GATHER_TYPES                                                        \
  "dtype: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int32, int64, int8, qint32, qint8, quint8, resource, string, uint16, "      \
  "uint32, uint64, uint8, variant; Tindices: int32, int64"

MR_KERNELS(ResourceGather, Cpu){{.types = MR_GATHER_TYPES,
                                 .make = MakeKernel<ResourceGatherKernel>,
                                 .host = "resource"}};

}  // namespace millrace::ops
