// Convolutions by oneDNN.
#pragma once

#include "millrace/device/cpu/dnnl.h"
#include "millrace/ops/convolution/conv_problem.h"

namespace millrace::ops {

// Takes float and bfloat16; what oneDNN does not support runs by the plain
// loops. Each kernel has its own; thread-safe.
class DnnlConv {
 public:
  // Requires: no size is 0.
  Status Run(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
             const ConvData& data) const;

 private:
  struct Primitive {
    dnnl::primitive primitive;
    dnnl::memory::desc input, filter, output;  // in oneDNN's layouts
    dnnl::memory::desc plain_filter;           // in the layout of the input
    dnnl::reorder reorder;  // of the filter, if the layouts differ
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
