#include <algorithm>
#include <cmath>
#include <string>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/summary/summary_message.h"
#include "millrace/ops/summary/summary_output.h"
#include "millrace/ops/summary/wav.h"

namespace millrace::ops {
namespace {

// Returns the rate in the file: a whole number, half rounded to even, and at
// least 1. The summary has the rate as it is.
float RateOfFile(float rate) { return std::max(1.0f, std::nearbyint(rate)); }

class AudioSummaryKernel {
 public:
  static StatusOr<AudioSummaryKernel> Make(const KernelInit& init) {
    AudioSummaryKernel k;
    MR_ASSIGN_OR_RETURN(k.max_outputs_, init.Attr<int64_t>("max_outputs"));
    k.rate_is_input_ = init.num_inputs() == 3;
    if (!k.rate_is_input_) {
      MR_ASSIGN_OR_RETURN(k.rate_, init.Attr<float>("sample_rate"));
      if (!(k.rate_ > 0)) return InvalidArgument("sample_rate must be > 0");
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& tag = ctx.input(0);
    const Tensor& clips = ctx.input(1);
    if (tag.rank() != 0) return InvalidArgument("Tag must be a scalar");
    if (clips.rank() < 2 || clips.rank() > 3) {
      return InvalidArgument("Tensor must be 3-D or 2-D, got: ",
                             clips.shape().DebugString());
    }
    float rate = rate_;
    if (rate_is_input_) {
      if (ctx.input(2).num_elements() != 1) {
        return InvalidArgument(
            "sample_rate must be rank-0 or contain a single value");
      }
      rate = ctx.input(2).flat<float>()[0];
    }
    if (!(rate > 0)) return InvalidArgument("sample_rate must be > 0");
    const WavFormat format{.rate = RateOfFile(rate),
                           .channels = clips.rank() == 2 ? 1 : clips.dim(2),
                           .frames = clips.dim(1)};
    const auto samples = clips.flat<float>();
    const int64_t size = format.channels * format.frames;
    std::string summary;
    for (int64_t i = 0; i < std::min(max_outputs_, clips.dim(0)); ++i) {
      MR_RETURN_IF_ERROR(ctx.CheckCancelled());
      MR_ASSIGN_OR_RETURN(const std::string wav,
                          EncodeWav(format, samples.subspan(i * size, size)));
      if (summary.size() + wav.size() > kMaxSummaryBytes) {
        return InvalidArgument("tensor too large for summary ",
                               clips.shape().DebugString());
      }
      AppendAudio(NumberedTag(tag, "audio", max_outputs_, i), rate,
                  format.channels, format.frames, wav, &summary);
    }
    return SetSummary(ctx, summary);
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
