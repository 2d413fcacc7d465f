// The numbers of one time step of a GRU layer, forward and backward (Cho et
// al., "Learning phrase representations using RNN encoder-decoder", EMNLP
// 2014).
//
// With sigmoid s and weights in two parts, for x and for h_prev:
//   r, u = s(x w_ru + h_prev w_ru' + b_ru)
//   c = tanh(x w_c + (r h_prev) w_c' + b_c)      h = u h_prev + (1 - u) c
#pragma once

#include <cstdint>

namespace millrace::ops {

struct GruSizes {
  int64_t batch = 0, input = 0, cell = 0;
};

// Inputs of the forward op.
struct GruInputs {
  const float *x, *h_prev, *w_ru, *w_c, *b_ru, *b_c;
};
// Its results, each [batch, cell].
struct GruResults {
  float *r, *u, *c, *h;
};

// The results of the forward op that its gradient reads, and the gradient of h.
struct GruSaved {
  const float *r, *u, *c, *d_h;
};
// The gradients of x and h_prev, and of the sums of the candidate, d_c [batch,
// cell], and of the gates, d_ru [batch, 2 * cell], r first.
struct GruGradients {
  float *d_x, *d_h_prev, *d_c, *d_ru;
};

}  // namespace millrace::ops
