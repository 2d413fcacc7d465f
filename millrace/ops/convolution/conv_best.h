// Runs each convolution by the fastest algorithm for it.
#pragma once

#include "millrace/ops/convolution/conv_dnnl.h"

namespace millrace::ops {

// Takes float, bfloat16 and half; half is computed in float. Each kernel has
// its own; thread-safe.
class BestConv {
 public:
  // Requires: no size is 0.
  Status Run(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
             const ConvData& data) const;

 private:
  DnnlConv dnnl_;
};

}  // namespace millrace::ops
