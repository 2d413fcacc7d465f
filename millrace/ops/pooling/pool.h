// Describes the pooling of images and volumes by numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/pooling/window.op.h"

namespace millrace::ops {

// Channels are last. Channels first is the same problem with one channel an
// image; pooling across channels is the same with one-pixel images whose
// channels become the width.
struct PoolProblem {
  int64_t images = 0, channels = 0;
  Window window[kMaxSpatial];

  int64_t InputPixels() const {
    return window[0].input * window[1].input * window[2].input;
  }
  int64_t OutputPixels() const {
    return window[0].output * window[1].output * window[2].output;
  }
  // Returns the largest number of pixels that a window covers.
  int64_t WindowPixels() const {
    int64_t pixels = 1;
    for (const Window& w : window) pixels *= std::min(w.filter, w.input);
    return pixels;
  }
};

// Positions [begin, end) of the input that window `o` covers.
struct Covered {
  int64_t begin, end;
  int64_t size() const { return end - begin; }
};
inline Covered CoveredBy(const Window& w, int64_t o) {
  const int64_t first = o * w.stride - w.before;
  return {std::max<int64_t>(0, first),
          std::min<int64_t>(w.input, first + w.filter)};
}

// Calls f(output pixel of the batch, input pixels' image, covered[3]) for
// output pixels [begin, end).
template <class F>
void ForWindows(const PoolProblem& p, int64_t begin, int64_t end, F&& f) {
  if (begin >= end) return;
  const Window* const w = p.window;
  int64_t image = begin / p.OutputPixels();
  int64_t at[kMaxSpatial];  // in the output
  int64_t rest = begin % p.OutputPixels();
  for (int i = kMaxSpatial - 1; i >= 0; --i) {
    at[i] = rest % w[i].output;
    rest /= w[i].output;
  }
  Covered covered[kMaxSpatial];
  for (int i = 0; i < kMaxSpatial; ++i) covered[i] = CoveredBy(w[i], at[i]);
  for (int64_t o = begin; o < end; ++o) {
    f(o, image, covered);
    int i = kMaxSpatial - 1;
    while (i > 0 && at[i] + 1 == w[i].output) {
      at[i] = 0;
      covered[i] = CoveredBy(w[i], 0);
      --i;
    }
    if (i == 0 && at[0] + 1 == w[0].output) {
      at[0] = -1;
      ++image;
    }
    covered[i] = CoveredBy(w[i], ++at[i]);
  }
}

// Calls f(pixel of the batch) for the input pixels of a window, in order.
template <class F>
void ForCovered(const PoolProblem& p, int64_t image,
                const Covered (&covered)[kMaxSpatial], F&& f) {
  for (int64_t d = covered[0].begin; d < covered[0].end; ++d) {
    for (int64_t h = covered[1].begin; h < covered[1].end; ++h) {
      const int64_t row =
          ((image * p.window[0].input + d) * p.window[1].input + h) *
          p.window[2].input;
      for (int64_t w = covered[2].begin; w < covered[2].end; ++w) f(row + w);
    }
  }
}

// Returns the place of a window's first pixel (window_loops.h).
inline int64_t FirstPlace(const PoolProblem& p, int64_t image,
                          const Covered (&covered)[kMaxSpatial]) {
  const Window* const w = p.window;
  return (((image * w[0].input + covered[0].begin) * w[1].input +
           covered[1].begin) *
              w[2].input +
          covered[2].begin) *
         p.channels;
}

// The places of a window's pixels relative to its first one. Most windows have
// the same places as the previous window.
class WindowPlaces {
 public:
  explicit WindowPlaces(const PoolProblem& p) : p_(p) {}
  absl::Span<const int64_t> Of(const Covered (&covered)[kMaxSpatial]);

 private:
  const PoolProblem& p_;
  int64_t sizes_[kMaxSpatial] = {-1, -1, -1};
  CountedVector<int64_t> places_;
};

// Elements that a long loop reads between two checks for cancellation.
inline constexpr int64_t kWorkPerCheck = int64_t{1} << 26;

enum class PoolOver { kSpace, kSpaceOrChannels };

// The words of errors that differ between stock's kernels of pooling.
struct PoolWords {
  const char* strides = "stride";
  // The error of a window of no size, which comes before that of the batch;
  // null if it comes after it.
  const char* no_window = nullptr;
  bool tells_window = false;  // behind that text
  bool counts_space = false;  // rather than all dimensions

  static PoolWords Of(absl::string_view op);
};

// The attributes of pooling. Makes problems from shapes.
class PoolAttrs {
 public:
  static StatusOr<PoolAttrs> Make(const KernelInit& init);

  // Makes the attributes of an op whose window and strides are inputs.
  static StatusOr<PoolAttrs> WithInputs(const PoolAttrs& base,
                                        const Tensor& ksize,
                                        const Tensor& strides);
  bool needs_inputs() const { return ksize_.empty(); }

  int channel_dim() const { return layout_.channel_dim(); }
  // Returns UNIMPLEMENTED for pooling over the batch, over channels together
  // with space, and over dimensions that are not among `over`.
  StatusOr<PoolProblem> Resolve(const TensorShape& input, PoolOver over) const;
  TensorShape OutputShape(const PoolProblem& p, const TensorShape& input) const;

 private:
  Status CheckLists() const;
  Status CheckRank(const TensorShape& input) const;
  bool OverChannels() const {
    return ksize_[static_cast<size_t>(layout_.channel_dim())] > 1;
  }

  ImageLayout layout_;
  std::string padding_;
  std::vector<int64_t> ksize_, strides_, explicit_paddings_;
  PoolWords words_;
};

// Returns INVALID_ARGUMENT "NAME must be 4-dimensional" for another rank.
Status ExpectRank(const char* name, const Tensor& tensor, int rank);

// Returns INVALID_ARGUMENT "Expected WHAT shape to be ..." for another shape.
Status ExpectShape(absl::string_view what, const Tensor& tensor,
                   const TensorShape& expected);

// Returns UNIMPLEMENTED for windows that cover more elements of a channel than
// the loops of window_loops.h can count.
Status CheckOffsets(const PoolProblem& p);

// Finds the indices in the whole input of the first largest elements of all
// windows; -1 if there is none (only NaN). `index` has an element for each of
// the output.
Status FindLargest(KernelContext& ctx, const PoolProblem& p, const Tensor& x,
                   int64_t* index);

}  // namespace millrace::ops
