// The numbers of TensorProto's fields.
#pragma once

#include <cstdint>

namespace millrace::tensor_proto {

inline constexpr uint32_t kDtype = 1;
inline constexpr uint32_t kShape = 2;
inline constexpr uint32_t kContent = 4;
inline constexpr uint32_t kStringVal = 8;
inline constexpr uint32_t kResourceVal = 14;
inline constexpr uint32_t kVariantVal = 15;

}  // namespace millrace::tensor_proto
