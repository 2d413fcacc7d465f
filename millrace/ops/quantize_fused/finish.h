// Converts exact sums of products of quantized numbers to the result of an op:
// scales, bias, summand, activation, and rounding to its type.
#pragma once

#include <cstdint>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/quantize/range.h"

namespace millrace::ops {

// Returns the number that 1 stands for, where the larger end of the range
// stands for 255 or 127.
float SymmetricStep(Range r, DataType type);
// Returns the number that 1 stands for in the range of the result: the range is
// spread over 255 or 254 steps.
float SpreadStep(Range r, DataType type);

// The numbers that scale the sums of a result with `depth` channels.
struct FinishSpec {
  CountedVector<float> scales;  // of each channel: what a sum of 1 stands for
  CountedVector<float> bias;    // of each channel, in the same unit; or empty
  float out_step = 1;           // what 1 stands for in the result
  bool relu = false;
  const Tensor* summand = nullptr;  // of the result's shape; may be null
  float summand_step = 1;           // what 1 stands for in it
};

// Reads the bias in an input: float numbers, or qint32 in units of the scales
// that `spec` has already. Returns INVALID_ARGUMENT unless it is a vector with
// a number for each scale.
Status ReadBias(KernelContext& ctx, int input, FinishSpec* spec);

// Sets the elements of `out`, of type quint8, qint8 or qint32, from the sums,
// as many; `out` may have the memory of the sums.
Status FinishSums(KernelContext& ctx, const FinishSpec& spec,
                  const int32_t* sums, Tensor* out);

}  // namespace millrace::ops
