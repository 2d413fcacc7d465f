#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "millrace/base/coding.h"
#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/audio/wav_file.h"
#include "millrace/ops/summary/wav.h"

namespace millrace::ops {
namespace {

class DecodeWavKernel {
 public:
  static StatusOr<DecodeWavKernel> Make(const KernelInit& init) {
    DecodeWavKernel k;
    MR_ASSIGN_OR_RETURN(k.channels_, init.Attr<int64_t>("desired_channels"));
    MR_RETURN_IF_ERROR(CheckInt32Attr("desired_channels", k.channels_));
    MR_ASSIGN_OR_RETURN(k.frames_, init.Attr<int64_t>("desired_samples"));
    MR_RETURN_IF_ERROR(CheckInt32Attr("desired_samples", k.frames_));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& contents = ctx.input(0);
    if (contents.rank() != 0) {
      return InvalidArgument("contents must be scalar, got shape ",
                             contents.shape().DebugString());
    }
    const absl::string_view bytes = contents.scalar<StringElement>().view();
    if (bytes.size() > std::numeric_limits<int32_t>::max()) {
      return InvalidArgument("WAV contents are too large for int: ",
                             bytes.size());
    }
    MR_ASSIGN_OR_RETURN(const WavFile file, ReadWav(bytes));
    const int64_t channels = channels_ < 0 ? file.channels : channels_;
    const int64_t frames = frames_ < 0 ? file.frames : frames_;
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        TensorShape::Make({frames, channels}));
    MR_ASSIGN_OR_RETURN(Tensor* const audio,
                        ctx.AllocateOutput(0, std::move(shape)));
    ctx.set_output(1, Tensor::Scalar<int32_t>(static_cast<int32_t>(file.rate)));
    if (audio->num_elements() == 0) return OkStatus();
    float* const out = audio->mutable_flat<float>().data();
    return ctx.ParallelFor(
        frames, 2 * channels + 2, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            float* const frame = out + i * channels;
            for (int64_t k = 0; k < channels; ++k) {
              frame[k] = Sample(file, i, std::min(k, file.channels - 1));
            }
          }
        });
  }

 private:
  static float Sample(const WavFile& file, int64_t frame, int64_t channel) {
    if (frame >= file.frames) return 0.0f;
    const int64_t at = (frame * file.channels + channel) * 2;
    return static_cast<float>(LoadFixed<int16_t>(file.samples.data() + at)) /
           32768.0f;
  }

  int64_t channels_ = -1, frames_ = -1;
};

Status RunEncodeWav(KernelContext& ctx) {
  const Tensor& audio = ctx.input(0);
  if (audio.rank() != 2) {
    return InvalidArgument("audio must be 2-dimensional",
                           audio.shape().DebugString());
  }
  if (ctx.input(1).rank() != 0) {
    return InvalidArgument("Input sample_rate should be a scalar tensor, got ",
                           ctx.input(1).shape().DebugString(), " instead.");
  }
  const int64_t rate = ctx.input(1).scalar<int32_t>();
  if (rate <= 0) {
    return InvalidArgument("sample_rate must be in (0, 2^32), got: ",
                           static_cast<uint64_t>(rate));
  }
  MR_ASSIGN_OR_RETURN(const std::string bytes,
                      EncodeWav({.rate = static_cast<double>(rate),
                                 .channels = audio.dim(1),
                                 .frames = audio.dim(0),
                                 .may_be_empty = true},
                                audio.flat<float>()));
  ctx.set_output(0, Tensor::Scalar<std::string>(bytes));
  return OkStatus();
}

}  // namespace

MR_KERNELS(DecodeWav, Cpu){{.make = MakeKernel<DecodeWavKernel>}};
MR_KERNELS(EncodeWav, Cpu){
    {.make = MakeFunctionKernel<RunEncodeWav>, .host = "sample_rate"}};

}  // namespace millrace::ops
