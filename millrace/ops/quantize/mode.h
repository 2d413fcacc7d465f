// How QuantizeV2 and Dequantize map real numbers to integers.
#pragma once

#include "millrace/kernel/kernel.h"

namespace millrace::ops {

enum class QuantizeMode { kMinCombined, kMinFirst, kScaled };

// Reads the attribute `mode`.
inline StatusOr<QuantizeMode> ReadMode(const KernelInit& init) {
  MR_ASSIGN_OR_RETURN(const auto mode, init.Attr<std::string>("mode"));
  if (mode == "MIN_COMBINED") return QuantizeMode::kMinCombined;
  if (mode == "MIN_FIRST") return QuantizeMode::kMinFirst;
  if (mode == "SCALED") return QuantizeMode::kScaled;
  return InvalidArgument(
      "Mode string must be 'MIN_COMBINED', 'MIN_FIRST', or 'SCALED', is '",
      mode, "'");
}

}  // namespace millrace::ops
