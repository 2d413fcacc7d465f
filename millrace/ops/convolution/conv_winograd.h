// Convolutions with 3 x 3 windows by Winograd's algorithm, which takes fewer
// multiplications (winograd_tiles.h).
#pragma once

#include "millrace/ops/convolution/conv_problem.h"
#include "millrace/ops/convolution/winograd_kernels.h"

namespace millrace::ops {

// Returns whether RunWinogradConv supports `p` on this machine: float, windows
// of 3 x 3 with stride and dilation 1, channels last, no groups.
bool IsWinogradSupported(const ConvProblem& p);

// Returns whether RunWinogradConv supports `p` and is faster than oneDNN.
bool IsWinogradFaster(ConvPass pass, const ConvProblem& p);

// Computes a pass; the result has the same bits for any number of threads.
// Returns false, having written unspecified values, if a result is infinite or
// NaN: the transformations turn such numbers into others than sums of products
// do. Requires: no size is 0.
StatusOr<bool> RunWinogradConv(
    KernelContext& ctx, ConvPass pass, const ConvProblem& p,
    const ConvData& data,
    const WinogradKernels& kernels = *SupportedWinogradKernels().front());

}  // namespace millrace::ops
