// Divides tensors of images into pieces that threads share, for sums and loops
// by channel.
#pragma once

#include <algorithm>
#include <string>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/memory/non_temporal.h"
#include "millrace/kernel/kernel_context.h"
#include "millrace/ops/elementwise/float_blocks.h"

namespace millrace::ops {

// The elements are [outer, channels, inner]; inner is 1 if channels are last.
struct ChannelLayout {
  int64_t outer = 0, channels = 0, inner = 0;
  int64_t rest() const { return outer * inner; }
};

// Returns the layout of images or volumes in `format`, or INVALID_ARGUMENT for
// another rank.
StatusOr<ChannelLayout> ChannelLayoutOf(const std::string& format,
                                        const TensorShape& shape);
// Returns INVALID_ARGUMENT unless t is a vector with an element for each
// channel.
Status CheckChannels(const Tensor& t, const char* what, int64_t channels);

// Returns the elements of a tensor of floats.
inline const float* Floats(const Tensor& t) { return t.flat<float>().data(); }

// A tensor of float, half or bfloat16 whose elements are read as floats.
class FloatElements {
 public:
  explicit FloatElements(const Tensor& t) : type_(t.dtype()), data_(t.data()) {}
  // Returns elements [begin, begin + n), converted in `room` unless they are
  // floats.
  const float* At(int64_t begin, int64_t n, CountedVector<float>& room) const {
    if (type_ == DataType::kFloat) {
      return reinterpret_cast<const float*>(data_) + begin;
    }
    room.resize(static_cast<size_t>(n));
    ToFloats(type_, data_ + begin * 2, room.data(), n);
    return room.data();
  }

 private:
  DataType type_;
  const char* data_;
};
// A tensor of float, half or bfloat16 whose elements are written as floats.
// Floats are written by non-temporal stores, in pieces of up to
// kMaxNonTemporalBytes, if all that the op reads and writes (`touched_bytes`)
// does not fit into the caches.
class MutableFloatElements {
 public:
  MutableFloatElements(Tensor* t, size_t touched_bytes)
      : type_(t->dtype()),
        data_(t->mutable_data()),
        non_temporal_(
            IsNonTemporalFaster(touched_bytes, WaitsFor::kComputing)) {}
  float* Room(int64_t begin, int64_t n, CountedVector<float>& room) {
    if (IsInPlace(n)) return reinterpret_cast<float*>(data_) + begin;
    room.resize(static_cast<size_t>(n));
    return room.data();
  }
  void Put(int64_t begin, int64_t n, const CountedVector<float>& room) {
    if (IsInPlace(n)) return;
    if (type_ != DataType::kFloat) {
      return FromFloats(type_, room.data(), data_ + begin * 2, n);
    }
    NonTemporalCopy(reinterpret_cast<const char*>(room.data()),
                    data_ + begin * 4, static_cast<size_t>(n) * 4);
    NonTemporalFence();
  }

 private:
  bool IsInPlace(int64_t n) const {
    return type_ == DataType::kFloat &&
           (!non_temporal_ ||
            static_cast<size_t>(n) * sizeof(float) > kMaxNonTemporalBytes);
  }

  DataType type_;
  char* data_;
  bool non_temporal_;
};

// The largest number of elements in a piece of several rows.
inline constexpr int64_t kMaxPieceElements = 16384;

// The pieces of such a tensor: rows of all channels if these are last, else a
// channel's plane of an image.
class ChannelPieces {
 public:
  explicit ChannelPieces(const ChannelLayout& l) : l_(l) {
    if (l.inner == 1) {
      rows_ = std::max<int64_t>(
          1, kMaxPieceElements / std::max<int64_t>(1, l.channels));
      count_ = (l.outer + rows_ - 1) / rows_;
    } else {
      count_ = l.outer * l.channels;
    }
  }
  int64_t count() const { return count_; }
  // Returns the pieces in reverse order, for a second pass over the tensor:
  // what was read last is still in the caches.
  int64_t Reversed(int64_t piece) const { return count_ - 1 - piece; }
  int64_t cost() const {
    return (l_.inner == 1 ? rows_ * l_.channels : l_.inner) / 2 + 20;
  }
  // Return the number of channels of which a piece has sums, and the first one.
  int64_t width() const { return l_.inner == 1 ? l_.channels : 1; }
  int64_t channel(int64_t piece) const {
    return l_.inner == 1 ? 0 : piece % l_.channels;
  }
  int64_t begin(int64_t piece) const {
    return l_.inner == 1 ? piece * rows_ * l_.channels : piece * l_.inner;
  }
  int64_t size(int64_t piece) const {
    return l_.inner == 1
               ? std::min(rows_, l_.outer - piece * rows_) * l_.channels
               : l_.inner;
  }

 private:
  ChannelLayout l_;
  int64_t rows_ = 0;
  int64_t count_ = 0;
};

struct ChannelSums {
  CountedVector<double> first, second;  // by channel
};

// Returns sums by channel. f(pieces, piece, first, second) sums a piece for
// each of its channels; the sums are added up in the order of the pieces, so
// that they do not depend on threads.
template <class F>
StatusOr<ChannelSums> SumPieces(KernelContext& ctx, const ChannelLayout& l,
                                F&& f) {
  const ChannelPieces pieces(l);
  const int64_t width = pieces.width();
  CountedVector<float> parts(static_cast<size_t>(2 * pieces.count() * width));
  MR_RETURN_IF_ERROR(ctx.ParallelFor(
      pieces.count(), pieces.cost(), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          float* at = parts.data() + 2 * i * width;
          f(pieces, i, at, at + width);
        }
      }));
  ChannelSums sums;
  sums.first.assign(static_cast<size_t>(l.channels), 0);
  sums.second = sums.first;
  for (int64_t i = 0; i < pieces.count(); ++i) {
    const float* at = parts.data() + 2 * i * width;
    for (int64_t c = 0; c < width; ++c) {
      sums.first[pieces.channel(i) + c] += at[c];
      sums.second[pieces.channel(i) + c] += at[width + c];
    }
  }
  return sums;
}

}  // namespace millrace::ops
