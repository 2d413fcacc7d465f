// Plane rotations of neighbouring rows.
#pragma once

#include <cmath>

#include "millrace/ops/linalg/lines.h"

namespace millrace::ops {

// The c and s of the rotation that maps (p, q) to (r, 0).
template <class R>
struct PlaneRotation {
  R c = 1, s = 0;
  PlaneRotation(R p, R q) {
    if (q == 0) {
      c = p < 0 ? R(-1) : R(1);
    } else if (p == 0) {
      c = 0;
      s = q < 0 ? R(1) : R(-1);
    } else if (std::abs(p) > std::abs(q)) {
      const R t = q / p;
      const R u = std::copysign(std::sqrt(1 + t * t), p);
      c = 1 / u;
      s = -t * c;
    } else {
      const R t = p / q;
      const R u = std::copysign(std::sqrt(1 + t * t), q);
      s = -1 / u;
      c = -t * s;
    }
  }
};

// Rotates rows of a matrix, in the order of the calls but later: many rotations
// then find a part of the columns in the cache. For one thread. The matrix,
// which may be null, must outlive this and may be read after Flush.
template <class S>
class RowRotations {
 public:
  explicit RowRotations(Matrix<S>* m) : m_(m) {}

  // Replaces rows (p, q) by (c p - s q, s p + c q).
  void Add(const PlaneRotation<RealType<S>>& g, int64_t p, int64_t q,
           StopFlag& stop) {
    if (m_ == nullptr) return;
    waiting_.push_back({g.c, g.s, p, q});
    if (static_cast<int64_t>(waiting_.size()) >= kMostWaiting) Flush(stop);
  }
  void Flush(StopFlag& stop) {
    if (m_ == nullptr) return;
    const auto count = static_cast<int64_t>(waiting_.size());
    const int64_t cols = m_->cols();
    const int64_t width = std::max<int64_t>(
        kLeastColumns, kBytes / static_cast<int64_t>(sizeof(S)) /
                           std::max<int64_t>(m_->rows(), 1));
    stop.Share((cols + width - 1) / width, width * count / 4 + 1,
               [&](int64_t begin, int64_t end, StopFlag& part) {
                 for (int64_t i = begin; i < end; ++i) {
                   if (part.IsSet(6 * width * count)) break;
                   RotateColumns(i * width, std::min(width, cols - i * width));
                 }
               });
    waiting_.clear();
  }

 private:
  struct Waiting {
    RealType<S> c, s;
    int64_t p, q;
  };
  void RotateColumns(int64_t begin, int64_t n) {
    for (const Waiting& w : waiting_) {
      Rotate(w.c, w.s, n, m_->row(w.p) + begin, m_->row(w.q) + begin);
    }
  }

  static constexpr int64_t kMostWaiting = 4096;
  // A group of columns that stays in the second cache.
  static constexpr int64_t kBytes = 1 << 18, kLeastColumns = 64;

  Matrix<S>* m_;
  std::vector<Waiting> waiting_;
};

}  // namespace millrace::ops
