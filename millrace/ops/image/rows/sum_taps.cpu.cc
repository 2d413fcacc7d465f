#include "millrace/ops/image/rows/sum_taps.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/threads/lanes.h"
#include "millrace/ops/elementwise/float_blocks.h"
#include "millrace/ops/image/rows/sum_rows.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Images whose rows are read as float.
template <class T>
struct Source {
  const T* images = nullptr;
  int64_t rows = 0;   // of all images
  int64_t width = 0;  // numbers of a row

  // Returns row i, in `memory` if it is not float or has no slack behind it.
  const float* Row(int64_t i, bool slack, float* memory) const {
    const T* const from = images + i * width;
    if constexpr (std::is_same_v<T, float>) {
      if (!slack || (rows - i - 1) * width >= kRowSlack) return from;
    }
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat16>) {
      ToFloats(DataTypeOf<T>, from, memory, width);
    } else {
      for (int64_t k = 0; k < width; ++k) {
        memory[k] = static_cast<float>(from[k]);
      }
    }
    return memory;
  }
};

struct Resize {
  RowTaps y, x;
  int64_t in_height = 0, channels = 0, in_width = 0, out_width = 0;
  bool pixels_first = true;

  int64_t in_row() const { return in_width * channels; }
  int64_t out_row() const { return out_width * channels; }
  int64_t in_room() const { return in_row() + kRowSlack; }
  int64_t out_room() const { return out_row() + kRowSlack; }
  // Rows whose pixels have been summed, of which each result takes some.
  int64_t slots() const {
    return pixels_first ? std::max(y.span, int64_t{1}) : 1;
  }
  int64_t room() const { return 2 * in_room() + (slots() + 1) * out_room(); }
};

// Computes rows one after another, in memory of its own.
template <class T>
class RowMaker {
 public:
  RowMaker(const Resize& r, const Source<T>& source)
      : r_(r),
        source_(source),
        memory_(std::make_unique<float[]>(static_cast<size_t>(r.room()))),
        places_(static_cast<size_t>(r.slots()), -1) {
    in_ = memory_.get();
    sums_ = in_ + r.in_room();
    slots_ = sums_ + r.in_room();
    out_ = slots_ + r.slots() * r.out_room();
  }

  // Computes row y of an image into `out` at `place`.
  void Make(int64_t image, int64_t y, int64_t place, Tensor* out) {
    if (out->dtype() == DataType::kFloat) {
      return Make(image, y, out->mutable_flat<float>().data() + place);
    }
    row_.resize(static_cast<size_t>(r_.out_row()));
    Make(image, y, row_.data());
    FromFloats(out->dtype(), row_.data(),
               out->mutable_data() + place * int64_t{sizeof(Half)},
               r_.out_row());
  }

 private:
  void Make(int64_t image, int64_t y, float* out) {
    const Tap* const taps = r_.y.taps.data() + r_.y.first[y];
    const int64_t count = r_.y.first[y + 1] - r_.y.first[y];
    const int64_t top = image * r_.in_height;
    if (r_.pixels_first) {
      Sum<4>(taps, count, r_.out_row(), out,
             [&](int64_t place) { return Pixels(top + place); });
      return;
    }
    // Rows that are converted have one place in memory.
    constexpr int64_t kMost = std::is_same_v<T, float> ? 4 : 1;
    Sum<kMost>(taps, count, r_.in_row(), sums_, [&](int64_t place) {
      return source_.Row(top + place, false, in_);
    });
    // Nothing is written behind whole vectors.
    if (r_.channels % 4 == 0) return SumPixels(r_.x, r_.channels, sums_, out);
    SumPixels(r_.x, r_.channels, sums_, out_);
    std::memcpy(out, out_, static_cast<size_t>(r_.out_row()) * sizeof(float));
  }

  // Sums the rows that row(place) returns, kMost of them at once.
  template <int64_t kMost, class F>
  static void Sum(const Tap* taps, int64_t count, int64_t n, float* out,
                  F&& row) {
    if (count == 0) std::fill(out, out + n, 0.0f);
    WeightedRow rows[kMost];
    for (int64_t i = 0; i < count; i += kMost) {
      const int64_t some = std::min(kMost, count - i);
      for (int64_t j = 0; j < some; ++j) {
        rows[j] = {row(taps[i + j].place), taps[i + j].weight};
      }
      SumRows(rows, some, i > 0, n, out);
    }
  }

  // Returns the row `place` of all, whose pixels are summed.
  const float* Pixels(int64_t place) {
    const int64_t slot = place % r_.slots();
    float* const sums = slots_ + slot * r_.out_room();
    int64_t& held = places_[static_cast<size_t>(slot)];
    if (held != place) {
      SumPixels(r_.x, r_.channels, source_.Row(place, true, in_), sums);
      held = place;
    }
    return sums;
  }

  const Resize& r_;
  const Source<T>& source_;
  const std::unique_ptr<float[]> memory_;
  CountedVector<int64_t> places_;  // of the rows in slots
  CountedVector<float> row_;
  float *in_, *sums_, *slots_, *out_;
};

}  // namespace

Status SumTaps(KernelContext& ctx, const Tensor& in, const Axis& y,
               const Axis& x, Tensor* out) {
  const Resize r = [&] {
    Resize resize{RowTaps(y), RowTaps(x), in.dim(1),
                  in.dim(3),  in.dim(2),  out->dim(2)};
    // The operations for each new row: sums of pixels of the rows that it does
    // not share with others and sums of those rows, or sums of old rows and
    // then of pixels.
    const int64_t taps_x = std::max<int64_t>(
        1, static_cast<int64_t>(resize.x.taps.size()) / out->dim(2));
    const int64_t taps_y = std::max<int64_t>(
        1, static_cast<int64_t>(resize.y.taps.size()) / out->dim(1));
    const auto width = static_cast<double>(out->dim(2));
    const double rows = std::min(
        static_cast<double>(taps_y),
        static_cast<double>(in.dim(1)) / static_cast<double>(out->dim(1)));
    constexpr int64_t kPixelCost = 4;
    const double pixels = width * static_cast<double>(taps_x * kPixelCost);
    resize.pixels_first = rows * pixels + static_cast<double>(taps_y) * width <=
                          static_cast<double>(taps_y * in.dim(2)) + pixels;
    return resize;
  }();
  MemoryCharge charge;
  MR_RETURN_IF_ERROR(charge.Set(r.room() * static_cast<int64_t>(sizeof(float)) *
                                    ctx.device().lanes().intra_op.width(),
                                "the rows of resized images"));
  const int64_t height = out->dim(1), n = r.out_row();
  const auto taps = static_cast<int64_t>(r.y.taps.size()) / height +
                    static_cast<int64_t>(r.x.taps.size()) / out->dim(2);
  return Dispatch(RealTypes{}, in.dtype(), [&]<class T>() -> Status {
    const Source<T> source{in.flat<T>().data(), in.dim(0) * in.dim(1),
                           r.in_row()};
    return ctx.ParallelFor(in.dim(0) * height, n * (taps + 1) / 4 + 20,
                           [&](int64_t begin, int64_t end) {
                             RowMaker<T> maker(r, source);
                             for (int64_t i = begin; i < end; ++i) {
                               maker.Make(i / height, i % height, i * n, out);
                             }
                           });
  });
}

}  // namespace millrace::ops
