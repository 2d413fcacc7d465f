// IntValue: the value of a small integer tensor, some of whose elements may be
// unknown.
#pragma once

#include <cstdint>
#include <limits>

#include "absl/container/inlined_vector.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// A scalar or vector of int32 or int64.
struct IntValue {
  static constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();
  static constexpr int64_t kMaxElements = 1024;

  DataType type = DataType::kInt32;
  bool is_scalar = false;
  absl::InlinedVector<int64_t, 8> v;

  int64_t size() const { return static_cast<int64_t>(v.size()); }
  bool IsKnown() const;
  Tensor ToTensor() const;  // only if IsKnown()
  // Returns false for other types, higher ranks and more than kMaxElements
  // elements.
  static bool FromTensor(const Tensor& tensor, IntValue* out);

  static bool IsIndexType(DataType type) {
    return type == DataType::kInt32 || type == DataType::kInt64;
  }
};

}  // namespace millrace
