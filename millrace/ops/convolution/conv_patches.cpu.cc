#include "millrace/ops/convolution/conv_patches.h"

#include <algorithm>

#include "millrace/ops/convolution/conv_taps.h"
#include "millrace/ops/product/matrix_product.h"
#include "millrace/tensor/tensor.h"

namespace millrace::ops {
namespace {

// Patches are made and multiplied in parts of this size, which stay in the
// caches.
constexpr int64_t kPartBytes = 1 << 20;
// A unit of work adds up the gradients of this many channels of an image.
constexpr int64_t kChannelsAtOnce = 8;

template <class T>
class PatchConv {
 public:
  PatchConv(KernelContext& ctx, const ConvProblem& p)
      : ctx_(ctx),
        p_(p),
        row_(p.Taps() * p.in_depth),
        pixels_(p.batch * p.OutputPixels()) {}

  // Returns the number of output pixels whose patches are made at a time.
  int64_t PartPixels() const {
    const int64_t bytes = row_ * static_cast<int64_t>(sizeof(T));
    return std::clamp<int64_t>(kPartBytes / bytes, 1, pixels_);
  }

  Status Forward(const T* x, const T* f, T* y, T* patches) const {
    return ForParts([&](int64_t first, int64_t count) -> Status {
      MR_RETURN_IF_ERROR(Gather(x, first, count, patches));
      MatrixProblem product = {.type = DataTypeOf<T>};
      product.m = count, product.k = row_, product.n = p_.out_depth;
      return BlockedGemm<T>(ctx_, product, patches, f, y + first * p_.out_depth,
                            /*accumulate=*/false);
    });
  }

  Status Filter(const T* x, T* f, const T* y, T* patches) const {
    return ForParts([&](int64_t first, int64_t count) -> Status {
      MR_RETURN_IF_ERROR(Gather(x, first, count, patches));
      MatrixProblem product = {.type = DataTypeOf<T>, .transpose_a = true};
      product.m = row_, product.k = count, product.n = p_.out_depth;
      return BlockedGemm<T>(ctx_, product, patches, y + first * p_.out_depth, f,
                            /*accumulate=*/first > 0);
    });
  }

  Status Input(T* x, const T* f, const T* y, T* patches) const {
    std::fill(x, x + p_.InputSize(), T(0));
    return ForParts([&](int64_t first, int64_t count) -> Status {
      MatrixProblem product = {.type = DataTypeOf<T>, .transpose_b = true};
      product.m = count, product.k = p_.out_depth, product.n = row_;
      MR_RETURN_IF_ERROR(BlockedGemm<T>(ctx_, product, y + first * p_.out_depth,
                                        f, patches,
                                        /*accumulate=*/false));
      return AddUp(patches, first, count, x);
    });
  }

 private:
  template <class F>
  Status ForParts(F&& run) const {
    const int64_t part = PartPixels();
    for (int64_t first = 0; first < pixels_; first += part) {
      MR_RETURN_IF_ERROR(run(first, std::min(part, pixels_ - first)));
    }
    return OkStatus();
  }

  // Sets a row of `patches` for each of `count` output pixels.
  Status Gather(const T* x, int64_t first, int64_t count, T* patches) const {
    const int64_t depth = p_.in_depth;
    return ctx_.ParallelFor(
        count, row_ / 4 + 1, [&](int64_t begin, int64_t end) {
          std::fill(patches + begin * row_, patches + end * row_, T(0));
          ForTaps(p_, first + begin, first + end,
                  [&](int64_t o, int64_t tap, int64_t i) {
                    std::copy_n(x + i * depth, depth,
                                patches + (o - first) * row_ + tap * depth);
                  });
        });
  }

  // Adds the rows of `patches` to the pixels that they were made of. Windows
  // overlap, so a thread has an image, or some of its channels.
  Status AddUp(const T* patches, int64_t first, int64_t count, T* x) const {
    const int64_t depth = p_.in_depth;
    const int64_t image_pixels = p_.OutputPixels();
    const int64_t first_image = first / image_pixels;
    const int64_t images = (first + count - 1) / image_pixels - first_image + 1;
    const int64_t slices = (depth + kChannelsAtOnce - 1) / kChannelsAtOnce;
    const auto add = [&](int64_t image, int64_t slice) {
      const int64_t c = slice * kChannelsAtOnce;
      const int64_t channels = std::min(kChannelsAtOnce, depth - c);
      const int64_t begin = std::max(first, image * image_pixels);
      const int64_t end = std::min(first + count, (image + 1) * image_pixels);
      ForTaps(p_, begin, end, [&](int64_t o, int64_t tap, int64_t i) {
        const T* from = patches + (o - first) * row_ + tap * depth + c;
        T* to = x + i * depth + c;
        for (int64_t k = 0; k < channels; ++k) to[k] += from[k];
      });
    };
    return ctx_.ParallelFor(images * slices,
                            count * row_ / (images * slices) + 1,
                            [&](int64_t begin, int64_t end) {
                              for (int64_t unit = begin; unit < end; ++unit) {
                                add(first_image + unit / slices, unit % slices);
                              }
                            });
  }

  KernelContext& ctx_;
  const ConvProblem& p_;
  const int64_t row_;     // elements of a patch
  const int64_t pixels_;  // of the output
};

}  // namespace

template <class T>
Status RunPatchConv(KernelContext& ctx, ConvPass pass, const ConvProblem& p,
                    T* x, T* f, T* y) {
  const PatchConv<T> conv(ctx, p);
  MR_ASSIGN_OR_RETURN(
      Tensor patches,
      ctx.AllocateTemp(DataTypeOf<T>, TensorShape({conv.PartPixels(),
                                                   p.Taps() * p.in_depth})));
  T* const at = patches.mutable_flat<T>().data();
  switch (pass) {
    case ConvPass::kForward:
      return conv.Forward(x, f, y, at);
    case ConvPass::kInput:
      return conv.Input(x, f, y, at);
    case ConvPass::kFilter:
      return conv.Filter(x, f, y, at);
  }
  return Internal("unknown pass of a convolution");
}

template Status RunPatchConv<double>(KernelContext&, ConvPass,
                                     const ConvProblem&, double*, double*,
                                     double*);
template Status RunPatchConv<uint32_t>(KernelContext&, ConvPass,
                                       const ConvProblem&, uint32_t*, uint32_t*,
                                       uint32_t*);

}  // namespace millrace::ops
