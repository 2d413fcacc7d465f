// The number of elements of Range.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "millrace/base/status.h"

namespace millrace::ops {

// Returns the number of elements for integers and double, or INVALID_ARGUMENT
// if there is no such range.
template <class T>
StatusOr<int64_t> NumbersInRange(T start, T limit, T delta) {
  if (delta == 0) return InvalidArgument("Requires delta != 0: ", delta);
  const auto bad_order = [&](absl::string_view relation,
                             absl::string_view sign) {
    return InvalidArgument("Requires start ", relation, " limit when delta ",
                           sign, " 0: ", start, "/", limit);
  };
  // The conditions are written so that NaN fails them.
  if (delta > 0 && !(start <= limit)) return bad_order("<=", ">");
  if (delta < 0 && !(start >= limit)) return bad_order(">=", "<");
  const auto too_many = [] {
    return InvalidArgument("Requires ((limit - start) / delta) <= ",
                           std::numeric_limits<int64_t>::max());
  };
  if constexpr (std::integral<T>) {
    const uint64_t span =
        delta > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                  : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
    const uint64_t step = delta > 0
                              ? static_cast<uint64_t>(delta)
                              : uint64_t{0} - static_cast<uint64_t>(delta);
    const uint64_t n = span / step + (span % step != 0 ? 1 : 0);
    if (n > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return too_many();
    }
    return static_cast<int64_t>(n);
  } else {
    const T n = std::ceil(std::abs((limit - start) / delta));
    if (!(n < static_cast<T>(std::numeric_limits<int64_t>::max()))) {
      return too_many();
    }
    return static_cast<int64_t>(n);
  }
}

}  // namespace millrace::ops
