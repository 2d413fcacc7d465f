// Convolutions of 3 x 3 windows with fewer multiplications (winograd_tiles.h).
#pragma once

#include "millrace/ops/convolution/conv_problem.h"
#include "millrace/ops/convolution/winograd_kernels.h"

namespace millrace::ops {

// True for what RunWinogradConv computes: float, windows of 3 x 3 next to each
// other, channels last, no groups; on this machine.
bool WinogradFits(const ConvProblem& p);

// True for what fits and is faster so than by oneDNN.
bool WinogradPays(ConvPass pass, const ConvProblem& p);

// Bits do not depend on threads. False, with anything written, where a result
// is infinite or not a number: there the transformations make other values of
// them than sums of products are. No size is 0.
StatusOr<bool> RunWinogradConv(
    KernelContext& ctx, ConvPass pass, const ConvProblem& p,
    const ConvData& data,
    const WinogradKernels& kernels = *WinogradKernelsHere().front());

}  // namespace millrace::ops
