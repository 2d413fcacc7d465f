// Time steps of LSTM layers, forward and backward, without their products with
// the weights (lstm_step.h has the formulas): all of a cell in one thread. T is
// the type of the elements, which are computed in float.
//
// Defines: T = float half
// Texts: recurrent/cell.gpu.cu

struct StepArgs {
  int64_t batch, cell, cell_gate, forget_gate;
  float forget_bias, cell_clip;
  int32_t use_peephole;
  const T *from_x, *from_h;  // from_h is null where from_x has both products
  const T *bias, *wci, *wcf, *wco, *cs_prev;
  T *i, *cs, *f, *o, *ci, *co, *h;
};
extern "C" __global__ void LstmStep(const StepArgs a) {
  for (GRID_STRIDE(at, a.batch * a.cell)) {
    const int64_t row = RowOfPlace(at, a.cell), c = at - row * a.cell;
    const auto sum = [&](int64_t gate) {
      const int64_t place = row * 4 * a.cell + gate + c;
      float x = static_cast<float>(a.from_x[place]);
      if (a.from_h != nullptr) x += static_cast<float>(a.from_h[place]);
      return x + static_cast<float>(a.bias[gate + c]);
    };
    const float cs_prev = a.cs_prev[at];
    float i = sum(0), f = sum(a.forget_gate), o = sum(3 * a.cell);
    const float ci = tanh(sum(a.cell_gate));
    if (a.use_peephole) {
      i += cs_prev * static_cast<float>(a.wci[c]);
      f += cs_prev * static_cast<float>(a.wcf[c]);
    }
    i = Sigmoid(i);
    f = Sigmoid(f + a.forget_bias);
    float cs = i * ci + f * cs_prev;
    if (a.cell_clip > 0) {
      if (cs < -a.cell_clip) cs = -a.cell_clip;
      if (cs > a.cell_clip) cs = a.cell_clip;
    }
    if (a.use_peephole) o += cs * static_cast<float>(a.wco[c]);
    o = Sigmoid(o);
    const float co = tanh(cs);
    a.i[at] = T(i);
    a.cs[at] = T(cs);
    a.f[at] = T(f);
    a.o[at] = T(o);
    a.ci[at] = T(ci);
    a.co[at] = T(co);
    a.h[at] = T(o * co);
  }
}

struct BackArgs {
  int64_t batch, cell, cell_gate, forget_gate;
  int32_t use_peephole;
  const T *i, *f, *o, *ci, *co, *cs_grad, *h_grad;
  const T *later_cs_grad, *later_h_grad;  // null: there are none
  const T *wci, *wcf, *wco, *cs_prev;
  T *dgates, *cs_prev_grad;  // cs_prev_grad may be later_cs_grad
};
extern "C" __global__ void LstmStepBack(const BackArgs a) {
  for (GRID_STRIDE(at, a.batch * a.cell)) {
    const int64_t row = RowOfPlace(at, a.cell), c = at - row * a.cell;
    const float i = a.i[at], f = a.f[at], o = a.o[at], ci = a.ci[at],
                co = a.co[at], cs_prev = a.cs_prev[at];
    float cs_grad = a.cs_grad[at], h_grad = a.h_grad[at];
    if (a.later_cs_grad != nullptr) {
      cs_grad += static_cast<float>(a.later_cs_grad[at]);
    }
    if (a.later_h_grad != nullptr) {
      h_grad += static_cast<float>(a.later_h_grad[at]);
    }
    const float d_o = o * (1.0f - o) * h_grad * co;
    cs_grad += (1.0f - co * co) * h_grad * o;
    if (a.use_peephole) cs_grad += d_o * static_cast<float>(a.wco[c]);
    const float d_ci = (1.0f - ci * ci) * cs_grad * i;
    const float d_f = f * (1.0f - f) * cs_grad * cs_prev;
    const float d_i = i * (1.0f - i) * cs_grad * ci;
    float cs_prev_grad = cs_grad * f;
    if (a.use_peephole) {
      cs_prev_grad += d_i * static_cast<float>(a.wci[c]) +
                      d_f * static_cast<float>(a.wcf[c]);
    }
    T* const gates = a.dgates + row * 4 * a.cell + c;
    gates[0] = T(d_i);
    gates[a.cell_gate] = T(d_ci);
    gates[a.forget_gate] = T(d_f);
    gates[3 * a.cell] = T(d_o);
    a.cs_prev_grad[at] = T(cs_prev_grad);
  }
}

// Sums over rows (RowSum of column_sums.h): a block for 32 columns, whose lines
// of threads take every 16th row.
constexpr int kSumColumns = 32, kSumLines = 16, kMostSums = 4;
struct SumOf {
  int64_t first_tile, columns, stride;
  const T *a, *first, *rest;
  T* sum;
};
struct SumArgs {
  int64_t rows, first_rows;
  SumOf sums[kMostSums];
};
extern "C" __global__ void SumRows(const SumArgs a) {
  __shared__ float lines[kSumLines][kSumColumns];
  SumOf s = a.sums[0];
  // Constant places in an argument are read where they lie.
#pragma unroll
  for (int k = 1; k < kMostSums; ++k) {
    if (a.sums[k].first_tile <= blockIdx.x) s = a.sums[k];
  }
  const int across = threadIdx.x % kSumColumns;
  const int line = threadIdx.x / kSumColumns;
  const int64_t column = (blockIdx.x - s.first_tile) * kSumColumns + across;
  float sum = 0;
  if (column < s.columns) {
#pragma unroll 4
    for (int64_t row = line; row < a.rows; row += kSumLines) {
      float x = static_cast<float>(s.a[row * s.stride + column]);
      if (s.first != nullptr) {
        const T* const values = row < a.first_rows
                                    ? s.first + row * s.columns
                                    : s.rest + (row - a.first_rows) * s.columns;
        x *= static_cast<float>(values[column]);
      }
      sum += x;
    }
  }
  lines[line][across] = sum;
  __syncthreads();
  for (int half = kSumLines / 2; half > 0; half /= 2) {
    if (line < half) lines[line][across] += lines[line + half][across];
    __syncthreads();
  }
  if (line == 0 && column < s.columns) s.sum[column] = T(lines[0][across]);
}
