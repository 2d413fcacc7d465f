// The numbers of TensorProto's fields.
#pragma once

#include <cstdint>

namespace millrace::tensor_proto {

inline constexpr uint32_t kDtype = 1;
inline constexpr uint32_t kShape = 2;
inline constexpr uint32_t kContent = 4;
inline constexpr uint32_t kFloatVal = 5;
inline constexpr uint32_t kDoubleVal = 6;
inline constexpr uint32_t kIntVal = 7;  // of types of up to 32 bits
inline constexpr uint32_t kStringVal = 8;
inline constexpr uint32_t kComplex64Val = 9;
inline constexpr uint32_t kInt64Val = 10;
inline constexpr uint32_t kBoolVal = 11;
inline constexpr uint32_t kComplex128Val = 12;
inline constexpr uint32_t kHalfVal = 13;  // of bfloat16, too
inline constexpr uint32_t kResourceVal = 14;
inline constexpr uint32_t kVariantVal = 15;
inline constexpr uint32_t kUint32Val = 16;
inline constexpr uint32_t kUint64Val = 17;

}  // namespace millrace::tensor_proto
