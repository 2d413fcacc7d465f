#include "millrace/ops/convolution/conv_best.h"

#include "millrace/ops/convolution/conv_winograd.h"

namespace millrace::ops {

Status BestConv::Run(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                     const ConvData& data) const {
  if (p.type == DataType::kHalf) {
    return ConvThroughFloat(
        ctx, pass, p, data,
        [this](KernelContext& ctx, ConvPass pass, const ConvProblem& p,
               const ConvData& data) { return Run(ctx, pass, p, data); });
  }
  if (IsWinogradFaster(pass, p)) {
    MR_ASSIGN_OR_RETURN(const bool done, RunWinogradConv(ctx, pass, p, data));
    if (done) return OkStatus();
  }
  return dnnl_.Run(ctx, pass, p, data);
}

}  // namespace millrace::ops
