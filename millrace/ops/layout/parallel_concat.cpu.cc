#include <cstring>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"

namespace millrace::ops {
namespace {

// Returns INVALID_ARGUMENT unless `update` can be row `row` of `value`.
Status CheckRow(const TensorShape& value, const TensorShape& update,
                int64_t row) {
  if (value.rank() == 0) {
    return InvalidArgument("value should be at least rank 1.");
  }
  if (value.dim(0) <= row) {
    return InvalidArgument("0th dimension of value = ", value.dim(0),
                           " must be greater than loc_ = ", row);
  }
  if (value.rank() != update.rank()) {
    return InvalidArgument("value and update shape doesn't match: ",
                           value.DebugString(), " vs. ", update.DebugString());
  }
  for (int d = 1; d < value.rank(); ++d) {
    if (value.dim(d) == update.dim(d)) continue;
    return InvalidArgument("value and update shape doesn't match ",
                           value.DebugString(), " vs. ", update.DebugString());
  }
  if (update.dim(0) != 1) {
    return InvalidArgument("update shape doesn't match: ",
                           update.DebugString());
  }
  return OkStatus();
}

class ParallelConcatKernel {
 public:
  static StatusOr<ParallelConcatKernel> Make(const KernelInit& init) {
    ParallelConcatKernel k;
    MR_ASSIGN_OR_RETURN(const PartialShape shape,
                        init.Attr<PartialShape>("shape"));
    if (!shape.known_rank() || shape.rank() == 0) {
      return InvalidArgument("value should be at least rank 1.");
    }
    MR_ASSIGN_OR_RETURN(k.shape_, shape.AsTensorShape());
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const int n = ctx.num_inputs();
    if (n > shape_.dim(0)) {
      return InvalidArgument("0th dimension of value = ", shape_.dim(0),
                             " must be greater than loc_ = ", shape_.dim(0));
    }
    DimVector dims = shape_.dims();
    dims[0] = 1;
    const TensorShape row = TensorShape(absl::MakeConstSpan(dims));
    for (int i = 0; i < n; ++i) {
      MR_RETURN_IF_ERROR(CheckRow(shape_, ctx.input(i).shape(), i));
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape_));
    if (n < shape_.dim(0)) MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    const int64_t elements = row.num_elements();
    if (elements == 0) return OkStatus();
    char* const to = out->mutable_data();
    return ctx.ParallelFor(n, 10 + MoveCost(out->dtype(), elements),
                           [&](int64_t begin, int64_t end) {
                             for (int64_t i = begin; i < end; ++i) {
                               CopyElements(
                                   ctx.output_type(0),
                                   ctx.input(static_cast<int>(i)).data(), 0, to,
                                   i * elements, elements);
                             }
                           });
  }

 private:
  TensorShape shape_;
};

class ParallelConcatStartKernel {
 public:
  static StatusOr<ParallelConcatStartKernel> Make(const KernelInit& init) {
    ParallelConcatStartKernel k;
    MR_ASSIGN_OR_RETURN(const PartialShape shape,
                        init.Attr<PartialShape>("shape"));
    MR_ASSIGN_OR_RETURN(k.shape_, shape.AsTensorShape());
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape_));
    return ZeroTensor(ctx, out);
  }

 private:
  TensorShape shape_;
};

class ParallelConcatUpdateKernel {
 public:
  static StatusOr<ParallelConcatUpdateKernel> Make(const KernelInit& init) {
    ParallelConcatUpdateKernel k;
    MR_ASSIGN_OR_RETURN(k.row_, init.Attr<int32_t>("loc"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(
        CheckRow(ctx.input(0).shape(), ctx.input(1).shape(), row_));
    const Tensor& value = ctx.input(0);
    const Tensor& update = ctx.input(1);
    const int64_t rows = value.dim(0);
    const int64_t n = update.num_elements();
    // A number below 0 counts modulo the rows, as in stock.
    const int64_t begin = rows == 0 ? 0 : (row_ % rows + rows) % rows * n;
    // In TensorFlow several updates write into the memory that its master gives
    // them. Clients can send these ops, too, so here memory is written only
    // where nobody else has it.
    const int64_t elements = value.num_elements();
    const DataType type = value.dtype();
    MR_ASSIGN_OR_RETURN(
        Tensor* const out,
        ctx.ForwardOrAllocateOutput({0}, 0, TensorShape(value.shape())));
    if (elements == 0) return OkStatus();
    char* const to = out->mutable_data();
    if (to != value.data())
      CopyElements(type, value.data(), 0, to, 0, elements);
    CopyElements(type, update.data(), 0, to, begin, n);
    return OkStatus();
  }

 private:
  int64_t row_ = 0;
};

}  // namespace

MR_KERNELS(ParallelConcat, Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES,
                                 .make = MakeKernel<ParallelConcatKernel>}};

MR_KERNELS(_ParallelConcatStart,
           Cpu){{.types = "dtype: " MR_PLAIN_AND_STRING_TYPES,
                 .make = MakeKernel<ParallelConcatStartKernel>}};
MR_KERNELS(_ParallelConcatUpdate,
           Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES,
                 .make = MakeKernel<ParallelConcatUpdateKernel>}};

}  // namespace millrace::ops
