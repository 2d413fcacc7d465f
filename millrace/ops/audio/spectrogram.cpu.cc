#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/graph/attr/int32_attr.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/signal/fourier.h"
#include "millrace/ops/signal/fourier_lines.h"

namespace millrace::ops {
namespace {

class SpectrogramKernel {
 public:
  static StatusOr<SpectrogramKernel> Make(const KernelInit& init) {
    SpectrogramKernel k;
    MR_ASSIGN_OR_RETURN(k.window_, init.Attr<int64_t>("window_size"));
    MR_RETURN_IF_ERROR(CheckInt32Attr("window_size", k.window_));
    MR_ASSIGN_OR_RETURN(k.stride_, init.Attr<int64_t>("stride"));
    MR_RETURN_IF_ERROR(CheckInt32Attr("stride", k.stride_));
    MR_ASSIGN_OR_RETURN(k.squared_, init.Attr<bool>("magnitude_squared"));
    if (k.window_ < 2) {
      return InvalidArgument("window size must be > 1, got ", k.window_);
    }
    if (k.stride_ < 1) {
      return InvalidArgument("stride must be strictly positive, got ",
                             k.stride_);
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& audio = ctx.input(0);
    if (audio.rank() != 2) {
      return InvalidArgument("input must be 2-dimensional",
                             audio.shape().DebugString());
    }
    const int64_t samples = audio.dim(0), channels = audio.dim(1);
    const int64_t slices =
        samples < window_ ? 0 : 1 + (samples - window_) / stride_;
    const auto length =
        static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(window_)));
    const int64_t frequencies = 1 + length / 2;
    MR_ASSIGN_OR_RETURN(TensorShape shape,
                        TensorShape::Make({channels, slices, frequencies}));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const auto plan, RealFourierPlan<double>::Make(length));
    MR_ASSIGN_OR_RETURN(const Tensor window, Window(ctx));
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(ChargeWindows(ctx, *plan, slices * channels, &charge));
    const float* const from = audio.flat<float>().data();
    const double* const weights = window.flat<double>().data();
    float* const to = out->mutable_flat<float>().data();
    const int64_t half = length / 2;
    return ctx.ParallelFor(
        Groups(slices * channels), (length * 6 + 50) * kLines,
        [&](int64_t begin, int64_t end) {
          std::vector<double> line(static_cast<size_t>(length));
          std::vector<double> memory(
              static_cast<size_t>(WindowNumbers(*plan) * kLines));
          double* const re = memory.data();
          double* const im = re + (half + 1) * kLines;
          double* const work = im + (half + 1) * kLines;
          for (int64_t g = begin; g < end; ++g) {
            const int64_t at = g * kLines;
            const int64_t lines = std::min(kLines, slices * channels - at);
            for (int64_t v = 0; v < lines; ++v) {
              const float* const first =
                  from + (at + v) % slices * stride_ * channels +
                  (at + v) / slices;
              for (int64_t k = 0; k < window_; ++k) {
                line[static_cast<size_t>(k)] =
                    static_cast<double>(first[k * channels]) * weights[k];
              }
              const double* const pairs = line.data();
              for (int64_t k = 0; k < half; ++k) {
                re[k * lines + v] = pairs[2 * k];
                im[k * lines + v] = pairs[2 * k + 1];
              }
            }
            const Planes<double> y = plan->Forward(lines, {re, im}, work);
            for (int64_t v = 0; v < lines; ++v) {
              Magnitudes(lines, y.re + v, y.im + v, frequencies,
                         to + (at + v) * frequencies);
            }
          }
        });
  }

 private:
  // Returns the Hann window, as one period of a cosine.
  StatusOr<Tensor> Window(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(
        Tensor window,
        ctx.AllocateTemp(DataType::kDouble, TensorShape({window_})));
    double* const weights = window.mutable_flat<double>().data();
    MR_RETURN_IF_ERROR(
        ctx.ParallelFor(window_, 30, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            weights[i] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi *
                                              static_cast<double>(i) /
                                              static_cast<double>(window_));
          }
        }));
    return window;
  }

  // Windows that are transformed at once.
  static constexpr int64_t kLines = kMostFourierLines<double>;
  static int64_t Groups(int64_t windows) {
    return (windows + kLines - 1) / kLines;
  }
  // Returns the numbers of a window and of what transforms it.
  static int64_t WindowNumbers(const RealFourierPlan<double>& plan) {
    return 2 * (plan.length() + 1) + plan.work_size();
  }
  static Status ChargeWindows(KernelContext& ctx,
                              const RealFourierPlan<double>& plan,
                              int64_t windows, MemoryCharge* charge) {
    const int64_t threads = std::min<int64_t>(
        Groups(windows), ctx.device().lanes().intra_op.width());
    const int64_t numbers = 2 * plan.length() + WindowNumbers(plan) * kLines;
    return charge->Set(numbers * static_cast<int64_t>(sizeof(double)) * threads,
                       "the windows of a spectrogram");
  }

  void Magnitudes(int64_t lines, const double* re, const double* im, int64_t n,
                  float* out) const {
    for (int64_t k = 0; k < n; ++k) {
      const double a = re[k * lines], b = im[k * lines];
      const auto squared = static_cast<float>(a * a + b * b);
      out[k] = squared_ ? squared : std::sqrt(squared);
    }
  }

  int64_t window_ = 2;
  int64_t stride_ = 1;
  bool squared_ = false;
};

}  // namespace

MR_KERNELS(AudioSpectrogram, Cpu){{.make = MakeKernel<SpectrogramKernel>}};

}  // namespace millrace::ops
