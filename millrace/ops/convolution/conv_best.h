// The fastest way for each convolution.
#pragma once

#include "millrace/ops/convolution/conv_dnnl.h"

namespace millrace::ops {

// float, bfloat16 and half, which goes through float. One for each kernel;
// thread-safe.
class BestConv {
 public:
  // No size is 0.
  Status Run(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
             const ConvData& data) const;

 private:
  DnnlConv dnnl_;
};

}  // namespace millrace::ops
