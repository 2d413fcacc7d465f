#include "millrace/ops/nn/channel_loops.h"

#include <algorithm>

#include "millrace/base/target_clones.h"
#include "millrace/ops/pooling/lanes.h"

namespace millrace::ops {
namespace {

// Returns how many rows of n channels stay in the first-level cache while one
// block of channels after the other passes over them.
int64_t RowsAtOnce(int64_t n) {
  return std::max<int64_t>(1, 2048 / std::max<int64_t>(1, n));
}

}  // namespace

MR_TARGET_CLONES void AddRows(const float* x, const float* shift, int64_t rows,
                              int64_t n, float* sums, float* squares) {
  const int64_t step = RowsAtOnce(n);
  for (int64_t first = 0; first < rows; first += step) {
    const int64_t end = std::min(rows, first + step);
    ForWideLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
      float from[kLanes], s[kLanes], q[kLanes];
      for (int k = 0; k < kLanes; ++k) {
        from[k] = shift[c + k];
        s[k] = sums[c + k];
        q[k] = squares[c + k];
      }
      for (int64_t r = first; r < end; ++r) {
        const float* const row = x + r * n + c;
#pragma GCC unroll 8
        for (int k = 0; k < kLanes; ++k) {
          const float d = row[k] - from[k];
          s[k] += d;
          q[k] += d * d;
        }
      }
      for (int k = 0; k < kLanes; ++k) {
        sums[c + k] = s[k];
        squares[c + k] = q[k];
      }
    });
  }
}

MR_TARGET_CLONES void AddPlane(const float* x, float shift, int64_t n,
                               float* sum, float* square) {
  float s[16] = {}, q[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    for (int k = 0; k < 16; ++k) {
      const float d = x[i + k] - shift;
      s[k] += d;
      q[k] += d * d;
    }
  }
  for (; i < n; ++i) {
    const float d = x[i] - shift;
    s[0] += d;
    q[0] += d * d;
  }
  for (int k = 0; k < 16; ++k) {
    *sum += s[k];
    *square += q[k];
  }
}

MR_TARGET_CLONES void AddGradRows(const float* dy, const float* x,
                                  const float* mean, int64_t rows, int64_t n,
                                  float* sums, float* products) {
  const int64_t step = RowsAtOnce(n);
  for (int64_t first = 0; first < rows; first += step) {
    const int64_t end = std::min(rows, first + step);
    ForWideLanes(n, [&]<int kLanes>(int64_t c) MR_LANES {
      float m[kLanes], s[kLanes], q[kLanes];
      for (int k = 0; k < kLanes; ++k) {
        m[k] = mean[c + k];
        s[k] = sums[c + k];
        q[k] = products[c + k];
      }
      for (int64_t r = first; r < end; ++r) {
        const float* const grad = dy + r * n + c;
        const float* const row = x + r * n + c;
#pragma GCC unroll 8
        for (int k = 0; k < kLanes; ++k) {
          const float d = grad[k];
          s[k] += d;
          q[k] += d * (row[k] - m[k]);
        }
      }
      for (int k = 0; k < kLanes; ++k) {
        sums[c + k] = s[k];
        products[c + k] = q[k];
      }
    });
  }
}

MR_TARGET_CLONES void AddGradPlane(const float* dy, const float* x, float mean,
                                   int64_t n, float* sum, float* product) {
  float s[16] = {}, q[16] = {};
  int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    for (int k = 0; k < 16; ++k) {
      s[k] += dy[i + k];
      q[k] += dy[i + k] * (x[i + k] - mean);
    }
  }
  for (; i < n; ++i) {
    s[0] += dy[i];
    q[0] += dy[i] * (x[i] - mean);
  }
  for (int k = 0; k < 16; ++k) {
    *sum += s[k];
    *product += q[k];
  }
}

MR_TARGET_CLONES void NormalizeRows(const float* x, const float* mean,
                                    const float* scale, const float* offset,
                                    int64_t rows, int64_t n, float* z) {
  for (int64_t r = 0; r < rows; ++r) {
#pragma GCC ivdep
    for (int64_t c = 0; c < n; ++c) {
      z[r * n + c] = (x[r * n + c] - mean[c]) * scale[c] + offset[c];
    }
  }
}

MR_TARGET_CLONES void NormalizePlane(const float* x, float mean, float scale,
                                     float offset, int64_t n, float* z) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = (x[i] - mean) * scale + offset;
}

MR_TARGET_CLONES void GradRows(const float* dy, const float* x,
                               const float* mean, const float* a,
                               const float* b, const float* scale, int64_t rows,
                               int64_t n, float* z) {
  for (int64_t r = 0; r < rows; ++r) {
#pragma GCC ivdep
    for (int64_t c = 0; c < n; ++c) {
      const int64_t i = r * n + c;
      z[i] = (dy[i] - a[c] - (x[i] - mean[c]) * b[c]) * scale[c];
    }
  }
}

MR_TARGET_CLONES void GradPlane(const float* dy, const float* x, float mean,
                                float a, float b, float scale, int64_t n,
                                float* z) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    z[i] = (dy[i] - a - (x[i] - mean) * b) * scale;
  }
}

MR_TARGET_CLONES void Rectify(int64_t n, float* z) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) z[i] = z[i] <= 0.0f ? 0.0f : z[i];
}
MR_TARGET_CLONES void AddAndRectify(const float* side, int64_t n, float* z) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const float sum = z[i] + side[i];
    z[i] = sum <= 0.0f ? 0.0f : sum;
  }
}

}  // namespace millrace::ops
