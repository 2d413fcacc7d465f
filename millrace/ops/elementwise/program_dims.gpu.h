// The dimensions over which an elementwise program walks.
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "millrace/device/cuda/launch.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {

inline constexpr int kMaxProgramRank = 8;

// As Dims of program.gpu.cu.
template <int kIn>
struct ProgramDims {
  int64_t packs = 0;
  int64_t size[kMaxProgramRank] = {};
  int64_t stride[kMaxProgramRank][kIn] = {};
  GpuDivisor divisor[kMaxProgramRank];
  int32_t rank = 0;
  int32_t is_wide = 0;
  int32_t packed = 0;
  int32_t reserved = 0;
};

// A dimension of the output, and how far apart its elements are in each of the
// inputs: 0 where an input has one element for all.
struct ProgramDim {
  int64_t size = 1;
  absl::InlinedVector<int64_t, 16> stride;
};

// Returns the dimensions from the innermost one outwards, at least one.
// Adjacent ones that all inputs have, or lack, together are one. Requires: the
// inputs broadcast to `shape`, which has elements.
absl::InlinedVector<ProgramDim, 4> DimsOfProgram(
    const TensorShape& shape, absl::Span<const Tensor* const> inputs);

}  // namespace millrace::ops
