// Kernel of RaggedTensorToVariant.
#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/ragged/splits.h"
#include "millrace/tensor/dispatch.h"
#include "millrace/tensor/variant/ragged_value.h"

namespace millrace::ops {
namespace {

// Returns the splits of rows [begin, end) of a dimension alone.
StatusOr<Tensor> SplitsOfRows(KernelContext& ctx, DataType type,
                              absl::Span<const int64_t> splits, int64_t begin,
                              int64_t end) {
  MR_ASSIGN_OR_RETURN(
      Tensor part,
      Tensor::Allocate(ctx.allocator(), type, TensorShape({end - begin + 1})));
  MR_RETURN_IF_ERROR(Dispatch(IndexTypes{}, type, [&]<class T>() -> Status {
    T* to = part.mutable_flat<T>().data();
    const int64_t first = splits[static_cast<size_t>(begin)];
    for (int64_t i = begin; i <= end; ++i) {
      *to++ = static_cast<T>(splits[static_cast<size_t>(i)] - first);
    }
    return OkStatus();
  }));
  return part;
}

// Returns a copy of rows [begin, end) of the values; without their dimension,
// row `begin` alone.
enum class RowsForm { kRows, kOneRow };
StatusOr<Tensor> ValuesOfRows(KernelContext& ctx, const Tensor& values,
                              int64_t begin, int64_t end, RowsForm form) {
  DimVector dims = values.shape().dims();
  const int64_t inner =
      values.num_elements() == 0 ? 0 : values.num_elements() / dims[0];
  if (form == RowsForm::kOneRow) {
    dims.erase(dims.begin());
  } else {
    dims[0] = end - begin;
  }
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  MR_ASSIGN_OR_RETURN(
      Tensor part,
      Tensor::Allocate(ctx.allocator(), values.dtype(), std::move(shape)));
  if (part.num_elements() > 0) {
    CopyElements(values.dtype(), values.data(), begin * inner,
                 part.mutable_data(), 0, (end - begin) * inner);
  }
  return part;
}

class ToVariantKernel {
 public:
  static StatusOr<ToVariantKernel> Make(const KernelInit& init) {
    ToVariantKernel k;
    MR_ASSIGN_OR_RETURN(k.batched_, init.Attr<bool>("batched_input"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const int levels = ctx.num_inputs() - 1;
    const Tensor& values = ctx.input(levels);
    MR_ASSIGN_OR_RETURN(const auto splits, ReadSplits(ctx, 0, levels));
    if (levels > 0 && values.rank() == 0) {
      return InvalidArgument(
          "Requires flat_values to have rank>=1 when nested_row_splits is not "
          "empty, but is 0.");
    }
    MR_RETURN_IF_ERROR(
        CheckWholeSplits(splits, values.rank() == 0 ? 0 : values.dim(0)));
    if (!batched_) {
      MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, {}));
      std::vector<Tensor> parts;
      for (int i = 0; i < levels; ++i) parts.push_back(ctx.input(i));
      out->mutable_flat<VariantElement>()[0] =
          MakeRef<RaggedValue>(std::move(parts), values);
      return OkStatus();
    }
    if (values.rank() == 0) {
      return InvalidArgument("Can't unbatch rank-0 tensor.");
    }
    const int64_t rows =
        levels > 0 ? static_cast<int64_t>(splits[0].size()) - 1 : values.dim(0);
    // About what the values of variants take, besides the tensors' elements.
    const int64_t each = 256 + 96 * levels;
    if (rows > (int64_t{1} << 60) / each) {
      return ResourceExhausted("a batch of ", rows, " ragged tensors");
    }
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(charge.Set(rows * each, "ragged tensors of a batch"));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape({rows})));
    VariantElement* to = out->mutable_flat<VariantElement>().data();
    for (int64_t row = 0; row < rows; ++row) {
      if (row % 1024 == 0) MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      MR_RETURN_IF_ERROR(SetRow(ctx, splits, values, row, to + row));
    }
    return OkStatus();
  }

 private:
  static Status SetRow(KernelContext& ctx,
                       absl::Span<const CountedVector<int64_t>> splits,
                       const Tensor& values, int64_t row, VariantElement* to) {
    int64_t begin = row, end = row + 1;
    std::vector<Tensor> parts;
    for (size_t level = 0; level < splits.size(); ++level) {
      if (level > 0) {
        MR_ASSIGN_OR_RETURN(
            Tensor part,
            SplitsOfRows(ctx, ctx.input_type(0), splits[level], begin, end));
        parts.push_back(std::move(part));
      }
      begin = splits[level][static_cast<size_t>(begin)];
      end = splits[level][static_cast<size_t>(end)];
    }
    MR_ASSIGN_OR_RETURN(
        Tensor rows,
        ValuesOfRows(ctx, values, begin, end,
                     splits.empty() ? RowsForm::kOneRow : RowsForm::kRows));
    *to = MakeRef<RaggedValue>(std::move(parts), std::move(rows));
    return OkStatus();
  }

  bool batched_ = false;
};

}  // namespace

MR_KERNELS(RaggedTensorToVariant, Cpu){
    {.types = "Tvalues: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_TYPES,
     .make = MakeKernel<ToVariantKernel>}};

}  // namespace millrace::ops
