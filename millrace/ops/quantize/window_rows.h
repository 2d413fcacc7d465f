// The windows of images of bytes as the rows of a matrix, for products with
// filters.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "millrace/ops/convolution/conv_problem.h"
#include "millrace/ops/quantize/gemm.h"

namespace millrace::ops {

// Where the window of an output pixel lies in its image, and what it sees.
struct WindowPlace {
  int64_t image, top, left;

  WindowPlace(const ConvProblem& p, int64_t pixel) {
    const Window &h = p.window[1], &w = p.window[2];
    image = pixel / (h.output * w.output);
    top = pixel / w.output % h.output * h.stride - h.before;
    left = pixel % w.output * w.stride - w.before;
  }
  // Returns the number of the input pixel below a tap, or -1 outside of the
  // image.
  int64_t PixelAt(const ConvProblem& p, int64_t tap) const {
    const Window &h = p.window[1], &w = p.window[2];
    const int64_t y = top + tap / w.filter * h.dilation;
    const int64_t x = left + tap % w.filter * w.dilation;
    if (y < 0 || y >= h.input || x < 0 || x >= w.input) return -1;
    return (image * h.input + y) * w.input + x;
  }
};

// Row i is the window of output pixel i: its taps with all channels each.
// Elements outside of the image are `padding`, one of the numbers. I is uint8_t
// or int8_t.
template <class I>
class WindowRows final : public RowSource {
 public:
  WindowRows(const ConvProblem& p, const I* data, I padding)
      : p_(p), data_(data), padding_(WithoutSign(padding)) {}

  void Fill(int64_t row, int64_t begin, int64_t n,
            uint8_t* out) const override {
    const WindowPlace place(p_, row);
    const int64_t depth = p_.in_depth;
    if (n == p_.Taps() * depth && p_.window[2].dilation == 1) {
      return FillWhole(place, out);
    }
    int64_t tap = begin / depth, channel = begin % depth;
    while (n > 0) {
      const int64_t count = std::min(n, depth - channel);
      const int64_t pixel = place.PixelAt(p_, tap);
      if (pixel < 0) {
        Pad(count, out);
      } else {
        Copy(data_ + pixel * depth + channel, count, out);
      }
      out += count;
      n -= count;
      channel = 0;
      ++tap;
    }
  }

  const uint8_t* InPlace() const override {
    const Window &h = p_.window[1], &w = p_.window[2];
    // Each window is a pixel of its own.
    const auto is_pixel = [](const Window& side) {
      return side.filter == 1 && side.stride == 1 && side.before == 0 &&
             side.output == side.input;
    };
    return std::is_same_v<I, uint8_t> && is_pixel(h) && is_pixel(w)
               ? reinterpret_cast<const uint8_t*>(data_)
               : nullptr;
  }

 private:
  static uint8_t WithoutSign(I v) {
    return static_cast<uint8_t>(v + (std::is_signed_v<I> ? 128 : 0));
  }
  void Pad(int64_t n, uint8_t* out) const {
    std::memset(out, padding_, static_cast<size_t>(n));
  }
  static void Copy(const I* from, int64_t n, uint8_t* out) {
    if constexpr (std::is_signed_v<I>) {
      for (int64_t i = 0; i < n; ++i) out[i] = WithoutSign(from[i]);
    } else {
      std::memcpy(out, from, static_cast<size_t>(n));
    }
  }

  // The taps of a line of the window lie side by side in the image.
  void FillWhole(const WindowPlace& place, uint8_t* out) const {
    const Window &h = p_.window[1], &w = p_.window[2];
    const int64_t depth = p_.in_depth;
    const int64_t before = std::clamp<int64_t>(-place.left, 0, w.filter);
    const int64_t end =
        std::clamp<int64_t>(w.input - place.left, before, w.filter);
    for (int64_t i = 0; i < h.filter; ++i, out += w.filter * depth) {
      const int64_t y = place.top + i * h.dilation;
      if (y < 0 || y >= h.input) {
        Pad(w.filter * depth, out);
        continue;
      }
      Pad(before * depth, out);
      if (before < end) {
        const int64_t first =
            (place.image * h.input + y) * w.input + place.left + before;
        Copy(data_ + first * depth, (end - before) * depth,
             out + before * depth);
      }
      Pad((w.filter - end) * depth, out + end * depth);
    }
  }

  const ConvProblem& p_;
  const I* data_;
  uint8_t padding_;
};

}  // namespace millrace::ops
