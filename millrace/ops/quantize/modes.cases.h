// The modes of QuantizeV2 and Dequantize, and ranges for their cases.
#pragma once

#include <limits>

#include "millrace/ops/quantize/quantized_values.cases.h"

namespace millrace::cases {

inline constexpr const char* kModes[] = {"MIN_COMBINED", "MIN_FIRST", "SCALED"};

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
// Returns an end of a range, which may be NaN or infinite.
inline Value Exactly(float v) { return Values<float>({}, {v}); }

inline constexpr double kRanges[][2] = {
    {-6, 6}, {-3.1, 4.7},   {0, 5}, {1, 5},      {-5, -1},
    {0, 0},  {-1e-4, 3e-4}, {2, 2}, {-1e5, 3e6}, {-0.0049, 2.55}};

}  // namespace millrace::cases
