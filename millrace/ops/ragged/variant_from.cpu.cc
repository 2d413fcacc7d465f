// Kernel of RaggedTensorFromVariant.
#include "millrace/base/memory/checked_size.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/ragged/splits.h"
#include "millrace/tensor/variant/ragged_value.h"

namespace millrace::ops {
namespace {

using Components = CountedVector<const RaggedValue*>;

// Returns the number of rows of level `level` of a ragged tensor; behind the
// last level, that of values.
int64_t RowsOf(const RaggedValue& r, size_t level) {
  return level < r.splits().size() ? r.splits()[level].dim(0) - 1
                                   : r.values().dim(0);
}

class FromVariantKernel {
 public:
  static StatusOr<FromVariantKernel> Make(const KernelInit& init) {
    FromVariantKernel k;
    MR_ASSIGN_OR_RETURN(k.in_levels_, init.Attr<int32_t>("input_ragged_rank"));
    MR_ASSIGN_OR_RETURN(k.out_levels_,
                        init.Attr<int32_t>("output_ragged_rank"));
    MR_ASSIGN_OR_RETURN(k.splits_type_, init.Attr<DataType>("Tsplits"));
    MR_ASSIGN_OR_RETURN(k.values_type_, init.Attr<DataType>("Tvalues"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& encoded = ctx.input(0);
    const int64_t in_levels =
        in_levels_ >= 0 ? in_levels_
                        : std::max<int64_t>(0, out_levels_ - encoded.rank());
    if (out_levels_ != in_levels + encoded.rank()) {
      return InvalidArgument(
          "output_ragged_rank must be equal to input_ragged_rank + "
          "encoded_ragged.dims(); output_ragged_rank: ",
          out_levels_, ", input_ragged_rank: ", in_levels,
          ", encoded_variant.dims(): ", encoded.rank(), ".");
    }
    MR_ASSIGN_OR_RETURN(const Components all,
                        ReadComponents(encoded, in_levels));
    if (encoded.rank() == 0) {
      for (int i = 0; i < static_cast<int>(in_levels); ++i) {
        ctx.set_output(i, all[0]->splits()[static_cast<size_t>(i)]);
      }
      ctx.set_output(static_cast<int>(in_levels), all[0]->values());
      return OkStatus();
    }
    for (size_t i = 0; i < all.size(); ++i) {
      if (all[i]->values().rank() > 0) continue;
      return InvalidArgument(
          "Ragged values must have rank >= 1; encoded scalar element at index ",
          i, " has values Tensor: ", all[i]->values().DebugString());
    }
    for (int d = 0; d + 1 < encoded.rank(); ++d) {
      MR_RETURN_IF_ERROR(SetDenseSplits(ctx, d, encoded.shape()));
    }
    const int first = encoded.rank() - 1;
    MR_RETURN_IF_ERROR(SetRowSplits(ctx, first, all));
    for (size_t level = 0; level < static_cast<size_t>(in_levels); ++level) {
      MR_RETURN_IF_ERROR(SetJoinedSplits(
          ctx, first + 1 + static_cast<int>(level), all, level));
    }
    return SetJoinedValues(ctx, all);
  }

 private:
  StatusOr<Components> ReadComponents(const Tensor& encoded,
                                      int64_t in_levels) const {
    Components all;
    const auto elements = encoded.flat<VariantElement>();
    for (size_t i = 0; i < elements.size(); ++i) {
      const auto* r = dynamic_cast<const RaggedValue*>(elements[i].get());
      if (r == nullptr) {
        return InvalidArgument("Input Variant element at index ", i,
                               " doesn't hold a RaggedTensorVariant: ",
                               elements[i] ? elements[i]->type_name() : "");
      }
      if (r->ragged_rank() != in_levels) {
        return InvalidArgument(
            "Encoded input RaggedTensorVariant has ragged_rank=",
            r->ragged_rank(), ".  Expected ragged_rank=", in_levels, ".");
      }
      for (const Tensor& t : r->splits()) {
        if (t.dtype() == splits_type_) continue;
        return InvalidArgument(
            "Expected row_splits Tensor dtype: ", DataTypeName(splits_type_),
            ", found: ", DataTypeName(t.dtype()));
      }
      if (r->values().dtype() != values_type_) {
        return InvalidArgument(
            "Expected values Tensor dtype: ", DataTypeName(values_type_),
            ", found: ", DataTypeName(r->values().dtype()));
      }
      all.push_back(r);
    }
    return all;
  }

  // Sets output `d` to the splits of dimension d of the tensor of variants:
  // all rows are as long as dimension d + 1.
  static Status SetDenseSplits(KernelContext& ctx, int d,
                               const TensorShape& shape) {
    // Without a variant the products may be beyond all sizes.
    CheckedSize rows = 1;
    for (int i = 0; i <= d; ++i) rows *= shape.dim(i);
    const int64_t length = shape.dim(d + 1);
    MR_RETURN_IF_ERROR((rows * length).Get("splits").status());
    MR_RETURN_IF_ERROR(((rows + 1) * static_cast<int64_t>(sizeof(int64_t)))
                           .Get("splits")
                           .status());
    CountedVector<int64_t> splits;
    splits.reserve(static_cast<size_t>(rows.value() + 1));
    for (int64_t i = 0; i <= rows.value(); ++i) splits.push_back(i * length);
    return SetSplits(ctx, d, splits);
  }

  static Status SetRowSplits(KernelContext& ctx, int output,
                             const Components& all) {
    CountedVector<int64_t> splits = {0};
    for (const RaggedValue* r : all) {
      splits.push_back(SaturatingAdd(splits.back(), RowsOf(*r, 0)));
    }
    return SetSplits(ctx, output, splits);
  }

  static Status SetJoinedSplits(KernelContext& ctx, int output,
                                const Components& all, size_t level) {
    CountedVector<int64_t> joined = {0};
    for (const RaggedValue* r : all) {
      const int64_t first = joined.back();
      const CountedVector<int64_t> own = ManyIntValues(r->splits()[level]);
      for (size_t i = 1; i < own.size(); ++i) {
        joined.push_back(SaturatingAdd(first, own[i]));
      }
    }
    return SetSplits(ctx, output, joined);
  }

  Status SetJoinedValues(KernelContext& ctx, const Components& all) const {
    DimVector dims = {0};
    CheckedSize rows = 0;
    for (const RaggedValue* r : all) {
      DimVector own = r->values().shape().dims();
      rows += own[0];
      own[0] = 0;
      if (r == all[0]) dims = own;
      if (own != dims) {
        return InvalidArgument(
            "All ragged values must have the same shape beyond the first "
            "dimension: ",
            all[0]->values().shape().DebugString(), " vs. ",
            r->values().shape().DebugString());
      }
    }
    MR_ASSIGN_OR_RETURN(dims[0], rows.Get("ragged values"));
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(
        Tensor* const out,
        ctx.AllocateOutput(ctx.num_outputs() - 1, std::move(shape)));
    int64_t at = 0;
    for (const RaggedValue* r : all) {
      const Tensor& values = r->values();
      if (values.num_elements() == 0) continue;
      CopyElements(values_type_, values.data(), 0, out->mutable_data(), at,
                   values.num_elements());
      at += values.num_elements();
    }
    return OkStatus();
  }

  int64_t in_levels_ = -1, out_levels_ = 0;
  DataType splits_type_ = DataType::kInt64;
  DataType values_type_ = DataType::kFloat;
};

}  // namespace

MR_KERNELS(RaggedTensorFromVariant, Cpu){
    {.types = "Tvalues: " MR_PLAIN_AND_STRING_TYPES ", " MR_QUANTIZED_TYPES,
     .make = MakeKernel<FromVariantKernel>}};

}  // namespace millrace::ops
