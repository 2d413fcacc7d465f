#include "millrace/tensor/variant/ragged_value.h"

namespace millrace {
namespace {

Status CheckSplits(absl::Span<const Tensor> splits, const Tensor& values) {
  for (const Tensor& t : splits) {
    const bool is_index =
        t.dtype() == DataType::kInt32 || t.dtype() == DataType::kInt64;
    if (!is_index || t.dtype() != splits[0].dtype() || t.rank() != 1 ||
        t.num_elements() == 0) {
      return InvalidArgument(
          "the splits of a ragged tensor are vectors of int32 or int64 that "
          "are not empty, all of one type; got ",
          DataTypeName(t.dtype()), t.shape().DebugString());
    }
  }
  if (!splits.empty() && values.rank() == 0)
    return InvalidArgument("a ragged tensor with splits has scalar values");
  return OkStatus();
}

}  // namespace

StatusOr<Ref<VariantValue>> RaggedValue::FromWire(DecodedVariant in) {
  if (in.tensors.empty())
    return InvalidArgument("a ragged tensor has no values");
  Tensor values = std::move(in.tensors.back());
  in.tensors.pop_back();
  MR_RETURN_IF_ERROR(CheckSplits(in.tensors, values));
  auto made = MakeRef<RaggedValue>(std::move(in.tensors), std::move(values));
  made->charge_ = std::move(in.charge);
  return Ref<VariantValue>(std::move(made));
}

}  // namespace millrace
