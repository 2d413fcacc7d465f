#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/audio/mel_filter.h"

namespace millrace::ops {
namespace {

class MfccKernel {
 public:
  static StatusOr<MfccKernel> Make(const KernelInit& init) {
    MfccKernel k;
    MR_ASSIGN_OR_RETURN(k.limits_.upper,
                        init.Attr<float>("upper_frequency_limit"));
    MR_ASSIGN_OR_RETURN(k.limits_.lower,
                        init.Attr<float>("lower_frequency_limit"));
    MR_ASSIGN_OR_RETURN(k.limits_.bands,
                        init.Attr<int64_t>("filterbank_channel_count"));
    MR_RETURN_IF_ERROR(
        CheckInt32Attr("filterbank_channel_count", k.limits_.bands));
    MR_ASSIGN_OR_RETURN(k.coefficients_,
                        init.Attr<int64_t>("dct_coefficient_count"));
    MR_RETURN_IF_ERROR(
        CheckInt32Attr("dct_coefficient_count", k.coefficients_));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& spectrogram = ctx.input(0);
    if (spectrogram.rank() != 3) {
      return InvalidArgument("spectrogram must be 3-dimensional",
                             spectrogram.shape().DebugString());
    }
    if (ctx.input(1).rank() != 0) {
      return InvalidArgument(
          "Input sample_rate should be a scalar tensor, got ",
          ctx.input(1).shape().DebugString(), " instead.");
    }
    const int64_t rate = ctx.input(1).scalar<int32_t>();
    const int64_t length = spectrogram.dim(2);
    if (!MelFilter::Fits(limits_, length, rate) || coefficients_ < 1 ||
        coefficients_ > limits_.bands) {
      return InvalidArgument("Mfcc initialization failed for channel count ",
                             length, ", sample rate ", rate,
                             " and filterbank_channel_count ", limits_.bands);
    }
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        TensorShape::Make({spectrogram.dim(0),
                                           spectrogram.dim(1), coefficients_}));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    const MelFilter filter(limits_, length, rate);
    // As in stock, a limit above the spectrum gives zeros.
    if (!filter.in_range()) {
      const auto zeros = out->mutable_flat<float>();
      std::fill(zeros.begin(), zeros.end(), 0.0f);
      return OkStatus();
    }
    MR_ASSIGN_OR_RETURN(const Tensor bands, Bands(ctx, filter));
    return Transform(ctx, bands, out);
  }

 private:
  // Returns the logarithms of the bands of each window.
  StatusOr<Tensor> Bands(KernelContext& ctx, const MelFilter& filter) const {
    const Tensor& spectrogram = ctx.input(0);
    const int64_t length = spectrogram.dim(2);
    const int64_t windows = spectrogram.dim(0) * spectrogram.dim(1);
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        TensorShape::Make({windows, limits_.bands}));
    MR_ASSIGN_OR_RETURN(Tensor bands,
                        ctx.AllocateTemp(DataType::kDouble, std::move(shape)));
    const auto squares = spectrogram.flat<float>();
    const auto all = bands.mutable_flat<double>();
    const auto count = static_cast<size_t>(limits_.bands);
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        windows, 50 * length + limits_.bands, [&](int64_t begin, int64_t end) {
          for (auto i = static_cast<size_t>(begin);
               i < static_cast<size_t>(end); ++i) {
            const auto row = all.subspan(i * count, count);
            std::fill(row.begin(), row.end(), 0.0);
            const auto width = static_cast<size_t>(length);
            filter.Run(squares.subspan(i * width, width), row);
          }
        }));
    MR_RETURN_IF_ERROR(ctx.ParallelFor(
        static_cast<int64_t>(all.size()), 20, [&](int64_t begin, int64_t end) {
          constexpr double kFloor = 1e-12;
          for (int64_t i = begin; i < end; ++i) {
            double& v = all[static_cast<size_t>(i)];
            v = std::log(v < kFloor ? kFloor : v);
          }
        }));
    return bands;
  }

  // Writes the discrete cosine transforms of the bands.
  Status Transform(KernelContext& ctx, const Tensor& bands, Tensor* out) const {
    const int64_t n = limits_.bands;
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        TensorShape::Make({coefficients_, n}));
    MR_ASSIGN_OR_RETURN(Tensor cosines_memory,
                        ctx.AllocateTemp(DataType::kDouble, std::move(shape)));
    double* const cosines = cosines_memory.mutable_flat<double>().data();
    const double scale = std::sqrt(2.0 / static_cast<double>(n));
    const double angle = std::numbers::pi / static_cast<double>(n);
    MR_RETURN_IF_ERROR(
        ctx.ParallelFor(coefficients_ * n, 30, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            cosines[i] = scale * std::cos(static_cast<double>(i / n) * angle *
                                          (static_cast<double>(i % n) + 0.5));
          }
        }));
    const double* const logs = bands.flat<double>().data();
    float* const to = out->mutable_flat<float>().data();
    return ctx.ParallelFor(
        out->num_elements(), n + 5, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const double* const cosine = cosines + i % coefficients_ * n;
            const double* const log = logs + i / coefficients_ * n;
            double sum = 0;
            for (int64_t k = 0; k < n; ++k) sum += cosine[k] * log[k];
            to[i] = static_cast<float>(sum);
          }
        });
  }

  MelLimits limits_;
  int64_t coefficients_ = 1;
};

}  // namespace

MR_KERNELS(Mfcc, Cpu){{.make = MakeKernel<MfccKernel>, .host = "sample_rate"}};

}  // namespace millrace::ops
