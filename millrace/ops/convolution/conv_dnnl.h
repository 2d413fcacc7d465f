// Convolutions by oneDNN.
#pragma once

#include "millrace/device/cpu/dnnl.h"
#include "millrace/ops/convolution/conv_problem.h"

namespace millrace::ops {

// float and bfloat16; what oneDNN does not take goes to the plain loops. One
// for each kernel; thread-safe.
class DnnlConv {
 public:
  // No size is 0.
  Status Run(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
             const ConvData& data) const;

 private:
  struct Primitive {
    dnnl::primitive primitive;
    dnnl::memory::desc input, filter, output;  // as oneDNN wants them
    dnnl::memory::desc plain_filter;           // as it is given
    dnnl::reorder reorder;                     // of the filter, if they differ
    bool reorders = false;
  };

  Status ThroughFloat(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                      const ConvData& data) const;
  Status RunPart(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                 const ConvData& data) const;
  static StatusOr<Primitive> Make(ConvPass pass, const ConvProblem& p);

  DnnlCache<Primitive> cache_;
};

}  // namespace millrace::ops
