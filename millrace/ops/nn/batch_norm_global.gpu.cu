// Normalization by given statistics, and its gradient. Channels are last.
//
// Defines: T = half float

// `gamma` is null if it does not scale.
extern "C" __global__ void __launch_bounds__(256)
    Normalize(const T* x, const T* mean, const T* variance, const T* beta,
              const T* gamma, T* z, int64_t n, int64_t channels,
              float epsilon) {
  for (GRID_STRIDE(i, n)) {
    const int64_t c = i % channels;
    float factor = 1 / sqrtf(static_cast<float>(variance[c]) + epsilon);
    if (gamma != nullptr) factor *= static_cast<float>(gamma[c]);
    z[i] = static_cast<T>(
        (static_cast<float>(x[i]) - static_cast<float>(mean[c])) * factor +
        static_cast<float>(beta[c]));
  }
}

struct GlobalSums {
  double dy, dy_x;  // of dy, and of dy (x - mean)
};
struct GlobalSumsOp {
  template <class X>
  MR_DEVICE static X Identity() {
    return X{0, 0};
  }
  MR_DEVICE GlobalSums operator()(GlobalSums a, GlobalSums b) const {
    return GlobalSums{a.dy + b.dy, a.dy_x + b.dy_x};
  }
};

// Sums slices of pixels: sums[slice, channel]. A block for each.
extern "C" __global__ void __launch_bounds__(256)
    SumGlobal(const T* x, const T* mean, const T* dy, GlobalSums* sums,
              int64_t items, int64_t pixels, int64_t channels, int64_t slice) {
  for (int64_t item = blockIdx.x; item < items; item += gridDim.x) {
    const int64_t c = item % channels, begin = item / channels * slice;
    const int64_t end = MinOf(begin + slice, pixels);
    const double middle = static_cast<double>(static_cast<float>(mean[c]));
    GlobalSums s{0, 0};
    for (int64_t p = begin + threadIdx.x; p < end; p += blockDim.x) {
      const double d =
          static_cast<double>(static_cast<float>(dy[p * channels + c]));
      const double v =
          static_cast<double>(static_cast<float>(x[p * channels + c]));
      s.dy += d;
      s.dy_x += d * (v - middle);
    }
    s = BlockReduce<GlobalSumsOp>(s);
    if (threadIdx.x == 0) sums[item] = s;
  }
}

// Writes the gradients of mean, variance, beta and gamma, and what the gradient
// of an element is multiplied by.
extern "C" __global__ void __launch_bounds__(256)
    JoinGlobal(const GlobalSums* sums, const T* variance, const T* gamma,
               T* d_mean, T* d_variance, T* d_beta, T* d_gamma, double* factors,
               int64_t channels, int64_t slices, float epsilon, bool scales) {
  for (GRID_STRIDE(c, channels)) {
    GlobalSums s{0, 0};
    for (int64_t i = 0; i < slices; ++i) {
      s = GlobalSumsOp()(s, sums[i * channels + c]);
    }
    const double wide = static_cast<double>(static_cast<float>(variance[c])) +
                        static_cast<double>(epsilon);
    const double r = 1 / sqrt(wide);
    const double factor =
        scales ? r * static_cast<double>(static_cast<float>(gamma[c])) : r;
    factors[c] = factor;
    d_mean[c] = static_cast<T>(-s.dy * factor);
    d_variance[c] = static_cast<T>(s.dy_x * -0.5 * factor / wide);
    d_beta[c] = static_cast<T>(s.dy);
    d_gamma[c] = static_cast<T>(scales ? s.dy_x * r : 0.0);
  }
}

extern "C" __global__ void __launch_bounds__(256)
    ScaleGlobal(const T* dy, const double* factors, T* dx, int64_t n,
                int64_t channels) {
  for (GRID_STRIDE(i, n)) {
    dx[i] = static_cast<T>(static_cast<double>(static_cast<float>(dy[i])) *
                           factors[i % channels]);
  }
}
