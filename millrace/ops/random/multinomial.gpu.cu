// Draws classes by their weights, with the numbers of the CPU's kernel.
//
// Defines: T = half bfloat16 float double; OUT = int32_t int64_t

constexpr int kThreads = 256;

// Writes the cumulative weights of classes, relative to the largest weight: a
// block for each row.
extern "C" __global__ void __launch_bounds__(kThreads)
    Accumulate(const T* logits, double* sums, int64_t classes) {
  __shared__ double shared[kThreads];
  const T* const x = logits + blockIdx.x * classes;
  double* const z = sums + blockIdx.x * classes;
  const int t = threadIdx.x;
  double largest = -1.7976931348623157e308;
  for (int64_t j = t; j < classes; j += kThreads) {
    const double v = static_cast<double>(static_cast<Compute<T>>(x[j]));
    if (IsFinite(v) && v > largest) largest = v;
  }
  shared[t] = largest;
  __syncthreads();
  for (int left = kThreads / 2; left > 0; left /= 2) {
    if (t < left && shared[t + left] > shared[t]) shared[t] = shared[t + left];
    __syncthreads();
  }
  largest = shared[0];
  __syncthreads();
  double before = 0;  // the sum of earlier tiles
  for (int64_t first = 0; first < classes; first += kThreads) {
    const int64_t j = first + t;
    double weight = 0;
    if (j < classes) {
      const double v = static_cast<double>(static_cast<Compute<T>>(x[j]));
      if (IsFinite(v)) weight = exp(v - largest);
    }
    shared[t] = weight;
    __syncthreads();
    for (int step = 1; step < kThreads; step *= 2) {
      const double more = t >= step ? shared[t - step] : 0;
      __syncthreads();
      shared[t] += more;
      __syncthreads();
    }
    if (j < classes) z[j] = before + shared[t];
    before += shared[kThreads - 1];
    __syncthreads();
  }
}

// Sample j of row i takes the (i * samples + j)-th double of the stream.
extern "C" __global__ void __launch_bounds__(256)
    Draw(const double* sums, OUT* z, Philox base, int64_t rows, int64_t classes,
         int64_t samples) {
  for (GRID_STRIDE(at, rows * samples)) {
    Philox generator = base;
    generator.Skip(static_cast<uint64_t>(at / 2));
    const PhiloxResult r = generator();
    const uint32_t high = at % 2 == 0 ? r[0] : r[2];
    const uint32_t low = at % 2 == 0 ? r[1] : r[3];
    const uint64_t fraction =
        static_cast<uint64_t>(high & 0xfffffu) << 32 | low;
    const double u =
        BitCast<double>(static_cast<uint64_t>(1023) << 52 | fraction) - 1.0;
    const double* const row = sums + at / samples * classes;
    const double wanted = u * row[classes - 1];
    int64_t first = 0, behind = classes;
    while (first < behind) {
      const int64_t middle = first + (behind - first) / 2;
      if (wanted < row[middle]) {
        behind = middle;
      } else {
        first = middle + 1;
      }
    }
    z[at] = static_cast<OUT>(first);
  }
}
