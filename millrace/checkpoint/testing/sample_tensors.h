// Tensors of every dtype that checkpoints hold, for this room's tests.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/tensor/dispatch.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

// Returns all types except resources and variants.
inline std::vector<DataType> SavedDataTypes() {
  std::vector<DataType> types;
  for (int t = 1; t < kDataTypeLimit; ++t) {
    const DataType type = static_cast<DataType>(t);
    if (IsPlain(type) || type == DataType::kString) types.push_back(type);
  }
  return types;
}

// Returns the number i as an element of any numeric type; bool: whether it is
// odd.
template <class T>
T SampleElement(int64_t i) {
  if constexpr (std::is_same_v<T, bool>) {
    return i % 2 == 1;
  } else if constexpr (std::is_same_v<T, Complex64> ||
                       std::is_same_v<T, Complex128>) {
    return T(static_cast<typename T::value_type>(i));
  } else if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(i);
  } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
    return T(static_cast<float>(i));
  } else {  // quantized: the integer
    T element;
    static_assert(sizeof(T) <= sizeof(i));
    std::memcpy(static_cast<void*>(&element), &i, sizeof(T));
    return element;
  }
}

// Returns a tensor whose element i is made from the number first + i.
inline Tensor SampleTensor(DataType type, TensorShape shape,
                           int64_t first = 0) {
  Tensor tensor = Tensor::New(type, std::move(shape));
  const int64_t n = tensor.num_elements();
  if (type == DataType::kString) {
    for (int64_t i = 0; i < n; ++i) {
      tensor.mutable_flat<StringElement>()[static_cast<size_t>(i)] =
          std::string(static_cast<size_t>((first + i) % 7 * 50), 'x') +
          absl::StrCat(first + i);
    }
    return tensor;
  }
  const Status status = Dispatch(PlainTypes{}, type, [&]<class T>() -> Status {
    for (int64_t i = 0; i < n; ++i) {
      tensor.mutable_flat<T>()[static_cast<size_t>(i)] =
          SampleElement<T>(first + i);
    }
    return OkStatus();
  });
  MR_CHECK(status.ok(), status.message());
  return tensor;
}

}  // namespace millrace
