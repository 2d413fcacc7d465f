// One time step of a GRU layer: what it does to each cell, forward and
// backward, between its products with the weights (Cho et al., "Learning phrase
// representations using RNN encoder-decoder", EMNLP 2014).
#pragma once

#include <cstdint>

namespace millrace::ops {

struct GruSizes {
  int64_t batch = 0, input = 0, cell = 0;
};

// The gates r and u, each [batch, cell], from the parts of their sums, [batch,
// 2
// * cell], r first; r_h is r * h_prev.
struct GruGates {
  const float *x_ru, *h_ru, *b_ru;
  const float* h_prev;
  float *r, *u, *r_h;
};

// The candidate c and the output h from the parts of the candidate's sum.
struct GruOutput {
  const float *x_c, *h_c, *b_c;
  const float *h_prev, *u;
  float *c, *h;
};

// The gradients of the candidate's sum, d_c [batch, cell], and of those of the
// gates, d_ru [batch, 2 * cell]: first of u, later of r.
struct GruBack {
  const float *h_prev, *r, *u, *c, *d_h;
  const float* d_r_h;  // of r * h_prev; for the gradient of r
  float *d_c, *d_ru;
};

// The sums of the parts of the gradients of x and of h_prev.
struct GruFinish {
  const float* more_x;  // added to d_x, [batch, input]
  const float *r, *u, *d_h, *d_r_h;
  float *d_x, *d_h_prev;
};

}  // namespace millrace::ops
