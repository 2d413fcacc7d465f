// The first version of AdjustContrast, which takes numbers of many types.
#include <algorithm>
#include <cmath>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/shared_text.h"
#include "millrace/ops/image/colors.h"
#include "millrace/ops/image/pixels/colors.shared.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

struct ContrastBounds {
  float factor, least, most;

  // Returns x farther away from the mean.
  float Apply(float x, float mean) const {
    return colors::WithinBounds((x - mean) * factor + mean, least, most);
  }
};

// Computes pictures [begin, end) of `pixels` pixels, with channels last.
template <class T>
void ClipContrast(const T* in, int64_t pixels, int64_t channels,
                  const ContrastBounds& bounds, int64_t begin, int64_t end,
                  float* out) {
  CountedVector<double> sums(static_cast<size_t>(channels));
  CountedVector<float> means(static_cast<size_t>(channels));
  const int64_t size = pixels * channels;
  for (int64_t i = begin; i < end; ++i) {
    const T* from = in + i * size;
    float* to = out + i * size;
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t k = 0; k < size; k += channels) {
      for (int64_t c = 0; c < channels; ++c) {
        sums[static_cast<size_t>(c)] +=
            static_cast<double>(static_cast<float>(from[k + c]));
      }
    }
    for (size_t c = 0; c < sums.size(); ++c) {
      means[c] = static_cast<float>(sums[c] / static_cast<double>(pixels));
    }
    for (int64_t k = 0; k < size; k += channels) {
      for (int64_t c = 0; c < channels; ++c) {
        to[k + c] = bounds.Apply(static_cast<float>(from[k + c]),
                                 means[static_cast<size_t>(c)]);
      }
    }
  }
}

Status RunFirstContrast(KernelContext& ctx) {
  const Tensor& in = ctx.input(0);
  MR_RETURN_IF_ERROR(CheckContrast(ctx));
  MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, in.shape()));
  if (in.num_elements() == 0) return OkStatus();
  const Pictures pictures(in.shape());
  const int64_t channels = pictures.channels, pixels = pictures.pixels;
  const ContrastBounds bounds{ctx.input(1).scalar<float>(),
                              ctx.input(2).scalar<float>(),
                              ctx.input(3).scalar<float>()};
  const int64_t size = pixels * channels;
  return Dispatch<uint8_t, int8_t, int16_t, int32_t, float, double>(
      in.dtype(), [&]<class T>() -> Status {
        const T* const x = in.flat<T>().data();
        float* const z = out->mutable_flat<float>().data();
        return ctx.ParallelFor(
            pictures.count, size * 2, [&](int64_t begin, int64_t end) {
              ClipContrast(x, pixels, channels, bounds, begin, end, z);
            });
      });
}

}  // namespace

MR_KERNELS(AdjustContrast,
           Cpu){{.types = "T: uint8, int8, int16, int32, float, double",
                 .make = MakeFunctionKernel<RunFirstContrast>}};

}  // namespace millrace::ops
