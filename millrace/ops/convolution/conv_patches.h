// Convolutions of types that oneDNN does not take, as products of matrices.
#pragma once

#include "millrace/ops/convolution/conv_problem.h"

namespace millrace::ops {

// Computes a convolution whose channels are last, of one group, for T double
// or uint32_t, by products of matrices of patches: a row has what the window of
// one output pixel sees. Requires: no size is 0.
template <class T>
Status RunPatchConv(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                    T* x, T* f, T* y);
extern template Status RunPatchConv<double>(KernelContext&, ConvPass,
                                            const ConvProblem&, double*,
                                            double*, double*);
extern template Status RunPatchConv<uint32_t>(KernelContext&, ConvPass,
                                              const ConvProblem&, uint32_t*,
                                              uint32_t*, uint32_t*);

}  // namespace millrace::ops
