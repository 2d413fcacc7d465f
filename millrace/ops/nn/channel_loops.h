// Loops of batch normalization over floats: ...Rows runs over a block of `rows`
// rows of n channels, ...Plane over n elements of one channel.
#pragma once

#include <cstdint>

namespace millrace::ops {

// Add x - shift and its squares to the sums of each channel.
void AddRows(const float* x, const float* shift, int64_t rows, int64_t n,
             float* sums, float* squares);
void AddPlane(const float* x, float shift, int64_t n, float* sum,
              float* square);

// Add dy and dy * (x - mean) to the sums of each channel.
void AddGradRows(const float* dy, const float* x, const float* mean,
                 int64_t rows, int64_t n, float* sums, float* products);
void AddGradPlane(const float* dy, const float* x, float mean, int64_t n,
                  float* sum, float* product);

// Compute z = (x - mean) * scale + offset.
void NormalizeRows(const float* x, const float* mean, const float* scale,
                   const float* offset, int64_t rows, int64_t n, float* z);
void NormalizePlane(const float* x, float mean, float scale, float offset,
                    int64_t n, float* z);

// Compute z = max(z, 0), or max(z + side, 0). NaN stays NaN.
void Rectify(int64_t n, float* z);
void AddAndRectify(const float* side, int64_t n, float* z);

// Compute z = (dy - a - (x - mean) * b) * scale.
void GradRows(const float* dy, const float* x, const float* mean,
              const float* a, const float* b, const float* scale, int64_t rows,
              int64_t n, float* z);
void GradPlane(const float* dy, const float* x, float mean, float a, float b,
               float scale, int64_t n, float* z);

}  // namespace millrace::ops
