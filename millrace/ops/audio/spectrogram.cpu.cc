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
    MR_ASSIGN_OR_RETURN(const auto plan, FourierPlan::Make(length));
    MR_ASSIGN_OR_RETURN(const Tensor window, Window(ctx));
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(ChargeWindows(ctx, *plan, slices * channels, &charge));
    const float* const from = audio.flat<float>().data();
    const double* const weights = window.flat<double>().data();
    float* const to = out->mutable_flat<float>().data();
    return ctx.ParallelFor(
        slices * channels, length * 20 + 50, [&](int64_t begin, int64_t end) {
          std::vector<Complex128> line(static_cast<size_t>(length));
          std::vector<Complex128> work(static_cast<size_t>(plan->work_size()));
          for (int64_t i = begin; i < end; ++i) {
            const float* const first =
                from + i % slices * stride_ * channels + i / slices;
            for (int64_t k = 0; k < window_; ++k) {
              line[static_cast<size_t>(k)] =
                  static_cast<double>(first[k * channels]) * weights[k];
            }
            std::fill(line.begin() + window_, line.end(), Complex128());
            plan->Run(FourierDirection::kForward, line.data(), work.data());
            Magnitudes(line.data(), frequencies, to + i * frequencies);
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

  static Status ChargeWindows(KernelContext& ctx, const FourierPlan& plan,
                              int64_t windows, MemoryCharge* charge) {
    constexpr auto kElement = static_cast<int64_t>(sizeof(Complex128));
    const int64_t threads =
        std::min<int64_t>(windows, ctx.device().lanes().intra_op.width());
    return charge->Set((plan.length() + plan.work_size()) * kElement * threads,
                       "the windows of a spectrogram");
  }

  void Magnitudes(const Complex128* line, int64_t n, float* out) const {
    for (int64_t k = 0; k < n; ++k) {
      const double re = line[k].real(), im = line[k].imag();
      const auto squared = static_cast<float>(re * re + im * im);
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
