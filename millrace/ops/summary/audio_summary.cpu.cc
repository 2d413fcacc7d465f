#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/summary/audio_values.h"
#include "millrace/ops/summary/summary_output.h"

namespace millrace::ops {
namespace {

class AudioSummaryKernel {
 public:
  static StatusOr<AudioSummaryKernel> Make(const KernelInit& init) {
    AudioSummaryKernel k;
    MR_ASSIGN_OR_RETURN(k.max_outputs_, init.Attr<int32_t>("max_outputs"));
    k.rate_is_input_ = init.num_inputs() == 3;
    if (!k.rate_is_input_) {
      MR_ASSIGN_OR_RETURN(k.rate_, init.Attr<float>("sample_rate"));
      if (!(k.rate_ > 0)) return InvalidArgument("sample_rate must be > 0");
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& tag = ctx.input(0);
    if (tag.rank() != 0) return InvalidArgument("Tag must be a scalar");
    float rate = rate_;
    if (rate_is_input_) {
      if (ctx.input(2).num_elements() != 1) {
        return InvalidArgument(
            "sample_rate must be rank-0 or contain a single value");
      }
      rate = ctx.input(2).flat<float>()[0];
    }
    MR_ASSIGN_OR_RETURN(
        const CountedText summary,
        SummarizeAudio(ctx, ctx.input(1),
                       {.tag = tag.scalar<StringElement>().view(),
                        .most = max_outputs_,
                        .rate = rate}));
    return SetSummary(ctx, summary.view());
  }

 private:
  int64_t max_outputs_ = 3;
  float rate_ = 0;
  bool rate_is_input_ = true;
};

}  // namespace

MR_KERNELS(AudioSummary, Cpu){{.make = MakeKernel<AudioSummaryKernel>}};
MR_KERNELS(AudioSummaryV2, Cpu){{.make = MakeKernel<AudioSummaryKernel>}};

}  // namespace millrace::ops
