// Fills tensors from a position of a Philox stream, by TensorFlow's rules. The
// values are the same for any number of threads.
#pragma once

#include <cstdint>

#include "millrace/base/random.h"
#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// A run of a seeded op reserves 256 results of its stream for each output, as
// in stock; so ops that need an unknown number of them have enough, and the
// next run starts where stock's does.
inline constexpr uint64_t kReservedPerOutput = 256;

enum class Distribution { kUniform, kNormal, kTruncated };

// Requires: `out` is half, bfloat16, float or double.
Status FillRandom(KernelContext& ctx, Distribution distribution,
                  const Philox4x32& base, Tensor* out);

// Fills with integers from [low, low + range), given as bits of the element
// type. Requires: `out` is int32, uint32, int64 or uint64. A range of 0 means
// all numbers of the type.
Status FillIntegers(KernelContext& ctx, const Philox4x32& base, uint64_t low,
                    uint64_t range, Tensor* out);

}  // namespace millrace::ops
