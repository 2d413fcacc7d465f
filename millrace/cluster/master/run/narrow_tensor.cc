#include "millrace/cluster/master/run/narrow_tensor.h"

#include <bit>

namespace millrace {

StatusOr<Tensor> NarrowToBfloat16(const Tensor& value) {
  if (value.dtype() != DataType::kFloat) {
    return InvalidArgument("expected a tensor of floats, got one of ",
                           DataTypeName(value.dtype()));
  }
  MR_ASSIGN_OR_RETURN(
      Tensor narrow,
      Tensor::Allocate(HostAllocator(), DataType::kBfloat16, value.shape()));
  const absl::Span<const float> from = value.flat<float>();
  const absl::Span<Bfloat16> to = narrow.mutable_flat<Bfloat16>();
  for (size_t i = 0; i < from.size(); ++i) {
    to[i] = Bfloat16::FromBits(
        static_cast<uint16_t>(std::bit_cast<uint32_t>(from[i]) >> 16));
  }
  return narrow;
}

StatusOr<Tensor> WidenFromBfloat16(const Tensor& value) {
  if (value.dtype() != DataType::kBfloat16) {
    return Internal("expected a tensor of bfloat16, got one of ",
                    DataTypeName(value.dtype()));
  }
  MR_ASSIGN_OR_RETURN(
      Tensor wide,
      Tensor::Allocate(HostAllocator(), DataType::kFloat, value.shape()));
  const absl::Span<const Bfloat16> from = value.flat<Bfloat16>();
  const absl::Span<float> to = wide.mutable_flat<float>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i]);
  return wide;
}

}  // namespace millrace
