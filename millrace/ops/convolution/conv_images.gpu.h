// Brings images and filters into the form that a library wants.
#pragma once

#include "millrace/device/cuda/lazy_gpu_function.h"
#include "millrace/ops/convolution/conv_problem.h"

namespace millrace::ops {

// Images of `from` pixels that become images of `to` pixels: pixel i is pixel i
// + offset, or 0 where there is none. WindowNumbers of conv_images.gpu.cu.
struct ImageWindow {
  int64_t images = 0;
  int64_t inner = 1;  // neighbouring elements of a pixel
  int64_t from[kMaxSpatial], to[kMaxSpatial], offset[kMaxSpatial];
};

// Thread-safe; each enqueues a function.
class ConvImages {
 public:
  ConvImages() = default;
  ConvImages(const KernelInit& init, DataType type);

  // Transposes `batches` matrices.
  Status Transpose(KernelContext& ctx, GpuPointer from, GpuPointer to,
                   int64_t batches, int64_t rows, int64_t columns) const;
  // Brings a filter from our order into the library's: [out, taps, in] with
  // channels last, else [out, in, taps]; or back.
  enum class Direction { kToLibrary, kBack };
  Status OrderFilter(KernelContext& ctx, const ConvProblem& p,
                     bool channels_last, Direction direction, GpuPointer from,
                     GpuPointer to) const;
  Status CopyWindow(KernelContext& ctx, const ImageWindow& window,
                    GpuPointer from, GpuPointer to) const;

 private:
  LazyGpuFunction transpose_, order_filter_, copy_window_;
};

}  // namespace millrace::ops
