#include "millrace/ops/summary/audio_values.h"

#include <algorithm>
#include <cmath>

#include "millrace/ops/summary/summary_message.h"
#include "millrace/ops/summary/summary_output.h"
#include "millrace/ops/summary/wav.h"

namespace millrace::ops {
namespace {

// Returns the rate in the file: a whole number, half rounded to even, and at
// least 1. The summary has the rate as it is.
float RateOfFile(float rate) { return std::max(1.0f, std::nearbyint(rate)); }

}  // namespace

StatusOr<CountedText> SummarizeAudio(KernelContext& ctx, const Tensor& clips,
                                     const AudioRequest& request) {
  if (clips.rank() < 2 || clips.rank() > 3) {
    return InvalidArgument("Tensor must be 3-D or 2-D, got: ",
                           clips.shape().DebugString());
  }
  if (!(request.rate > 0)) return InvalidArgument("sample_rate must be > 0");
  const WavFormat format{.rate = RateOfFile(request.rate),
                         .channels = clips.rank() == 2 ? 1 : clips.dim(2),
                         .frames = clips.dim(1)};
  if (format.channels == 0) {
    return InvalidArgument("audio is null");
  }
  const auto samples = clips.flat<float>();
  const int64_t size = format.channels * format.frames;
  CountedText summary(ctx);
  std::string value;
  for (int64_t i = 0; i < std::min(request.most, clips.dim(0)); ++i) {
    MR_RETURN_IF_ERROR(ctx.CheckCancelled());
    MR_ASSIGN_OR_RETURN(const std::string wav,
                        EncodeWav(format, samples.subspan(i * size, size)));
    if (summary.view().size() + wav.size() > kMaxSummaryBytes) {
      return InvalidArgument("tensor too large for summary ",
                             clips.shape().DebugString());
    }
    value.clear();
    AppendAudio(NumberedTag(request.tag, "audio", request.most, i),
                request.rate, format.channels, format.frames, wav, &value);
    MR_RETURN_IF_ERROR(summary.Append(value));
  }
  return summary;
}

}  // namespace millrace::ops
