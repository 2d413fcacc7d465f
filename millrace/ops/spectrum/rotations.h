// Plane rotations of neighbouring rows.
#pragma once

#include <cmath>
#include <limits>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/ops/linalg/lines.h"

namespace millrace::ops {

// The c and s of the rotation that maps (p, q) to (r, 0), with r > 0.
template <class R>
struct PlaneRotation : RotationFactors<R> {
  using RotationFactors<R>::c;
  using RotationFactors<R>::s;
  PlaneRotation(R p, R q) {
    // Squares of numbers in this range and their sums neither overflow nor lose
    // bits. Nearly all are: without a choice between p and q, which would
    // hardly be foreseen.
    constexpr R kLeast =
        std::numeric_limits<R>::min() /
        (std::numeric_limits<R>::epsilon() * std::numeric_limits<R>::epsilon());
    R squares = p * p + q * q;
    if (!(squares > kLeast && squares < 1 / kLeast)) {
      const R largest = std::max(std::abs(p), std::abs(q));
      if (largest == 0) return;
      p /= largest;
      q /= largest;
      squares = p * p + q * q;
    }
    const R inverse = 1 / std::sqrt(squares);
    c = p * inverse;
    s = -q * inverse;
  }
};

// Rotates rows of a matrix, in the order of the calls but later: many rotations
// then find a part of the columns in the cache. For one thread. The matrix,
// which may be null, must outlive this and may be read after Flush.
template <class S>
class RowRotations {
 public:
  explicit RowRotations(Matrix<S>* m) : m_(m) {
    if (m != nullptr) factors_.reserve(kWaitingEach * m->rows());
  }

  // Replaces rows (p, q) by (c p - s q, s p + c q).
  void Add(const PlaneRotation<RealType<S>>& g, int64_t p, int64_t q,
           StopFlag& stop) {
    if (m_ == nullptr) return;
    if (!chains_.empty() && q == p + 1 && chains_.back().next == p) {
      ++chains_.back().count;
      chains_.back().next = q;
    } else {
      chains_.push_back(
          {.p = p, .q = q, .next = q == p + 1 ? q : -1, .count = 1});
    }
    factors_.push_back(g);
    if (static_cast<int64_t>(factors_.size()) >= kWaitingEach * m_->rows()) {
      Flush(stop);
    }
  }
  void Flush(StopFlag& stop) {
    if (m_ == nullptr || factors_.empty()) return;
    const auto count = static_cast<int64_t>(factors_.size());
    const int64_t cols = m_->cols();
    stop.Share((cols + kColumns - 1) / kColumns, kColumns * count / 8 + 1,
               [&](int64_t begin, int64_t end, StopFlag& part) {
                 for (int64_t i = begin; i < end; ++i) {
                   if (part.IsSet(6 * kColumns * count)) break;
                   const int64_t first = i * kColumns;
                   RotateColumns(first, std::min(kColumns, cols - first));
                 }
               });
    chains_.clear();
    factors_.clear();
  }

 private:
  // Rotations of rows (p, q), or of (p, p + 1), (p + 1, p + 2), ...
  struct Chain {
    int64_t p, q;
    int64_t next;  // the row with which the next one begins; -1: none may
    int64_t count;
  };
  // Moves the columns together meanwhile: rows that are a power of two apart
  // displace each other from the caches.
  void RotateColumns(int64_t begin, int64_t n) {
    const int64_t rows = m_->rows();
    Matrix<S> columns(rows, n);
    for (int64_t r = 0; r < rows; ++r) {
      std::copy_n(m_->row(r) + begin, n, columns.row(r));
    }
    const RotationFactors<RealType<S>>* factors = factors_.data();
    for (const Chain& chain : chains_) {
      S* const first = columns.row(chain.p);
      if (chain.next < 0) {
        Rotate(factors->c, factors->s, n, first, columns.row(chain.q));
      } else {
        RotateChain(factors, chain.count, n, n, first);
      }
      factors += chain.count;
    }
    for (int64_t r = 0; r < rows; ++r) {
      std::copy_n(columns.row(r), n, m_->row(r) + begin);
    }
  }

  // Rotations that wait, for each row.
  static constexpr int64_t kWaitingEach = 64;
  // Columns that are rotated together: of 500 rows they stay in the second
  // cache.
  static constexpr int64_t kColumns = 64;

  Matrix<S>* m_;
  CountedVector<Chain> chains_;
  CountedVector<RotationFactors<RealType<S>>> factors_;  // of all chains
};

}  // namespace millrace::ops
