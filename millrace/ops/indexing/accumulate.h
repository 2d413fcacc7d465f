// Adds one element to another, for every dtype that ops of this folder add up.
#pragma once

#include <type_traits>

#include "absl/strings/str_cat.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

// Adds x to sum: numbers are added (integers wrap around, 16-bit floating types
// round each time), flags are combined by or, strings are concatenated.
template <class T>
void Accumulate(T& sum, const T& x) {
  if constexpr (std::is_same_v<T, StringElement>) {
    sum.Assign(absl::StrCat(sum.view(), x.view()));
  } else if constexpr (std::is_same_v<T, bool>) {
    sum = sum || x;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    sum =
        static_cast<T>(static_cast<U>(static_cast<U>(sum) + static_cast<U>(x)));
  } else {
    using C = ComputeType<T>;
    sum = static_cast<T>(static_cast<C>(sum) + static_cast<C>(x));
  }
}

}  // namespace millrace::ops
