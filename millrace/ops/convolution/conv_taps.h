// The windows of a convolution whose channels are last.
#pragma once

#include <cstdint>

#include "millrace/ops/convolution/conv_problem.h"

namespace millrace::ops {

// Returns the position in the input of tap k of window o; it is outside of [0,
// input) in the padding.
inline int64_t InputAt(const Window& w, int64_t o, int64_t k) {
  return o * w.stride + k * w.dilation - w.before;
}

// Calls f(output pixel, tap, input pixel) for all windows, in the order of the
// output's pixels [begin, end) of the batch. Taps in the padding are left out.
template <class F>
void ForTaps(const ConvProblem& p, int64_t begin, int64_t end, F&& f) {
  const Window &d = p.window[0], &h = p.window[1], &w = p.window[2];
  for (int64_t pixel = begin; pixel < end; ++pixel) {
    const int64_t ow = pixel % w.output;
    const int64_t oh = pixel / w.output % h.output;
    const int64_t od = pixel / (w.output * h.output) % d.output;
    const int64_t n = pixel / p.OutputPixels();
    int64_t tap = 0;
    for (int64_t kd = 0; kd < d.filter; ++kd) {
      const int64_t id = InputAt(d, od, kd);
      for (int64_t kh = 0; kh < h.filter; ++kh) {
        const int64_t ih = InputAt(h, oh, kh);
        for (int64_t kw = 0; kw < w.filter; ++kw, ++tap) {
          const int64_t iw = InputAt(w, ow, kw);
          if (id < 0 || id >= d.input || ih < 0 || ih >= h.input || iw < 0 ||
              iw >= w.input) {
            continue;
          }
          f(pixel, tap, ((n * d.input + id) * h.input + ih) * w.input + iw);
        }
      }
    }
  }
}

}  // namespace millrace::ops
