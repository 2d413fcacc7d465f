// Local response normalization along the last dimension, of n channels, and its
// gradient; a thread for each element.
// Defines: T = float half

struct LrnArgs {
  uint64_t x, y, dy, out;
  int64_t total, n, radius;
  float bias, alpha, beta;
};

// Returns bias + alpha * the sum of squares around channel c of a row.
MR_DEVICE float NormAt(const LrnArgs& a, const T* row, int64_t c) {
  float sum = 0;
  const int64_t end = MinOf(a.n, c + a.radius + 1);
  for (int64_t k = MaxOf(int64_t(0), c - a.radius); k < end; ++k) {
    const float v = static_cast<float>(row[k]);
    sum += v * v;
  }
  return a.bias + a.alpha * sum;
}

extern "C" __global__ void Lrn(const LrnArgs a) {
  const T* const x = reinterpret_cast<const T*>(a.x);
  T* const out = reinterpret_cast<T*>(a.out);
  for (GRID_STRIDE(at, a.total)) {
    const int64_t c = at % a.n;
    out[at] = static_cast<T>(static_cast<float>(x[at]) *
                             powf(NormAt(a, x + (at - c), c), -a.beta));
  }
}

extern "C" __global__ void LrnGradient(const LrnArgs a) {
  const T* const x = reinterpret_cast<const T*>(a.x);
  const T* const y = reinterpret_cast<const T*>(a.y);
  const T* const dy = reinterpret_cast<const T*>(a.dy);
  T* const out = reinterpret_cast<T*>(a.out);
  for (GRID_STRIDE(at, a.total)) {
    const int64_t c = at % a.n, row = at - c;
    // What each output around this input contributes.
    float sum = 0;
    const int64_t end = MinOf(a.n, c + a.radius + 1);
    for (int64_t k = MaxOf(int64_t(0), c - a.radius); k < end; ++k) {
      sum += static_cast<float>(dy[row + k]) * static_cast<float>(y[row + k]) /
             NormAt(a, x + row, k);
    }
    const float own =
        static_cast<float>(dy[at]) * powf(NormAt(a, x + row, c), -a.beta);
    out[at] = static_cast<T>(own - 2 * a.alpha * a.beta *
                                       static_cast<float>(x[at]) * sum);
  }
}
