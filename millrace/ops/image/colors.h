// The checks of kernels of colours, on all devices.
#pragma once

#include <cstdint>

#include "millrace/kernel/kernel_context.h"

namespace millrace::ops {

// Images [pictures, pixels, channels] whose channels have means.
struct Pictures {
  int64_t count = 0, pixels = 0, channels = 0;

  // Require: `in` has passed CheckPictures, and has elements.
  explicit Pictures(const TensorShape& in)
      : pixels(in.dim(in.rank() - 2) * in.dim(in.rank() - 3)),
        channels(in.dim(in.rank() - 1)) {
    count = in.num_elements() / (pixels * channels);
  }
};

inline Status CheckPictures(const Tensor& in) {
  if (in.rank() < 3) {
    return InvalidArgument("input must be at least 3-D, got shape",
                           in.shape().DebugString());
  }
  return OkStatus();
}

// Checks the images of RGBToHSV and HSVToRGB.
inline Status CheckColors(const Tensor& in) {
  if (in.rank() < 1) {
    return InvalidArgument("input must be at least 1D",
                           in.shape().DebugString());
  }
  const int64_t channels = in.dim(in.rank() - 1);
  if (channels != 3) {
    return FailedPrecondition("input must have 3 channels but input only has ",
                              channels, " channels.");
  }
  return OkStatus();
}

// Checks the inputs of AdjustHue and AdjustSaturation, whose amounts have
// different names.
inline Status CheckAdjusted(const Tensor& in, const Tensor& by,
                            const char* name) {
  MR_RETURN_IF_ERROR(CheckPictures(in));
  if (by.rank() != 0) {
    return InvalidArgument(name, " must be scalar: ", by.shape().DebugString());
  }
  const int64_t channels = in.dim(in.rank() - 1);
  if (channels != 3) {
    return InvalidArgument("input must have 3 channels but instead has ",
                           channels, " channels.");
  }
  return OkStatus();
}

// Checks the inputs of both versions of AdjustContrast: the images, and up to
// three scalars.
inline Status CheckContrast(const KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckPictures(ctx.input(0)));
  constexpr const char* kNames[] = {"contrast_factor", "min_value",
                                    "max_value"};
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    const Tensor& t = ctx.input(i);
    if (t.rank() != 0) {
      return InvalidArgument(kNames[i - 1],
                             " must be scalar: ", t.shape().DebugString());
    }
  }
  return OkStatus();
}

}  // namespace millrace::ops
