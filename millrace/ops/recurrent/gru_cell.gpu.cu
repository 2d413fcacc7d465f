// One time step of a GRU layer, forward and backward, between its products with
// the weights (gru_step.h has the formulas). The structs are those of
// gru_step.h.
//
// Defines: T = float
// Texts: recurrent/cell.gpu.cu

struct GruSizes {
  int64_t batch, input, cell;
};
struct GruInputs {
  const float *x, *h_prev, *w_ru, *w_c, *b_ru, *b_c;
};
struct GruResults {
  float *r, *u, *c, *h;
};
struct GruSaved {
  const float *r, *u, *c, *d_h;
};
struct GruGradients {
  float *d_x, *d_h_prev, *d_c, *d_ru;
};

// The row and the column of a place in [batch, columns].
struct GruPlace {
  int64_t row, column;

  MR_DEVICE GruPlace(int64_t at, int64_t columns)
      : row(RowOfPlace(at, columns)), column(at - row * columns) {}
};

// Computes r and u from the products of the gates, [batch, 2 * cell], and
// writes r h_prev beside x.
extern "C" __global__ void GruGates(const GruSizes s, const GruInputs in,
                                    const float* gates, const GruResults out,
                                    float* joined) {
  for (GRID_STRIDE(at, s.batch * s.cell)) {
    const GruPlace p(at, s.cell);
    const float* const sums = gates + p.row * 2 * s.cell + p.column;
    const float r = Sigmoid(sums[0] + in.b_ru[p.column]);
    out.r[at] = r;
    out.u[at] = Sigmoid(sums[s.cell] + in.b_ru[s.cell + p.column]);
    joined[p.row * (s.input + s.cell) + s.input + p.column] = r * in.h_prev[at];
  }
}

// Computes c and h from the products of the candidate, [batch, cell].
extern "C" __global__ void GruOutput(const GruSizes s, const GruInputs in,
                                     const float* candidate,
                                     const GruResults out) {
  for (GRID_STRIDE(at, s.batch * s.cell)) {
    const GruPlace p(at, s.cell);
    const float c = tanh(candidate[at] + in.b_c[p.column]);
    const float u = out.u[at];
    out.c[at] = c;
    out.h[at] = u * in.h_prev[at] + (1.0f - u) * c;
  }
}

// Computes the gradients of the sums of c and of u.
extern "C" __global__ void GruBackToCandidate(const GruSizes s,
                                              const float* h_prev,
                                              const GruSaved g,
                                              const GruGradients out) {
  for (GRID_STRIDE(at, s.batch * s.cell)) {
    const GruPlace p(at, s.cell);
    const float u = g.u[at], c = g.c[at], d_h = g.d_h[at];
    out.d_c[at] = d_h * (1.0f - u) * (1.0f - c * c);
    out.d_ru[p.row * 2 * s.cell + s.cell + p.column] =
        d_h * (h_prev[at] - c) * u * (1.0f - u);
  }
}

// Computes the gradient of the sum of r; `of_candidate` is that of [x, r
// h_prev].
extern "C" __global__ void GruBackToReset(const GruSizes s, const float* h_prev,
                                          const GruSaved g,
                                          const float* of_candidate,
                                          const GruGradients out) {
  for (GRID_STRIDE(at, s.batch * s.cell)) {
    const GruPlace p(at, s.cell);
    const float r = g.r[at];
    const float d_r_h =
        of_candidate[p.row * (s.input + s.cell) + s.input + p.column];
    out.d_ru[p.row * 2 * s.cell + p.column] =
        d_r_h * h_prev[at] * r * (1.0f - r);
  }
}

// Computes the gradients of x and h_prev; `of_gates` is what the gates give to
// that of [x, h_prev].
extern "C" __global__ void GruFinish(const GruSizes s, const GruSaved g,
                                     const float* of_candidate,
                                     const float* of_gates,
                                     const GruGradients out) {
  const int64_t columns = s.input + s.cell;
  for (GRID_STRIDE(at, s.batch * columns)) {
    const GruPlace p(at, columns);
    if (p.column < s.input) {
      out.d_x[p.row * s.input + p.column] = of_candidate[at] + of_gates[at];
      continue;
    }
    const int64_t cell = p.row * s.cell + p.column - s.input;
    out.d_h_prev[cell] =
        of_gates[at] + of_candidate[at] * g.r[cell] + g.d_h[cell] * g.u[cell];
  }
}
