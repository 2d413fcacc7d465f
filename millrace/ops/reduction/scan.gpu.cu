// Running results of elements of type T by STEP, one of the structs below.
// Defines: T = float double half bfloat16 int8_t int32_t int64_t uint8_t
// uint64_t
//   complex64 complex128; STEP = SumStep ProdStep
// Defines: T = float double half bfloat16; STEP = LogSumExpStep

typedef ChooseType<kIsInteger<T>, uint64_t, Compute<T>>::type Acc;
struct SumStep {
  MR_DEVICE static Acc Identity() { return Acc(0); }
  MR_DEVICE static Acc Join(Acc a, Acc b) { return a + b; }
};
struct ProdStep {
  MR_DEVICE static Acc Identity() { return Acc(1); }
  MR_DEVICE static Acc Join(Acc a, Acc b) { return a * b; }
};
struct LogSumExpStep {
  template <class A = Acc>
  MR_DEVICE static A Identity() {
    return MinusInfinity<A>();
  }
  template <class A>
  MR_DEVICE static A Join(A a, A b) {
    const A high = a > b ? a : b;
    // The difference of two infinities of one sign is no number.
    if (!(fabs(high) < Infinity<A>())) {
      return IsNan(a) || IsNan(b) ? a + b : high;
    }
    const A low = a > b ? b : a;
    return high + log1p(exp(low - high));
  }
};

struct ScanArgs {
  uint64_t x, z, carries;
  int64_t lines, n, inner;  // columns: [lines / inner, n, inner]
  int64_t slices, slice;    // of a line
  int exclusive, reverse;
};

MR_DEVICE Acc At(const T* x, int64_t i) { return static_cast<Acc>(x[i]); }

// Lines beside each other: a thread for each.
extern "C" __global__ void ScanColumns(const ScanArgs a) {
  for (GRID_STRIDE(line, a.lines)) {
    const int64_t o = line / a.inner;
    int64_t at = o * a.n * a.inner + (line - o * a.inner);
    if (a.reverse) at += (a.n - 1) * a.inner;
    const int64_t step = a.reverse ? -a.inner : a.inner;
    const T* x = reinterpret_cast<const T*>(a.x) + at;
    T* z = reinterpret_cast<T*>(a.z) + at;
    Acc acc = STEP::Identity();
    for (int64_t i = 0; i < a.n; ++i, x += step, z += step) {
      const Acc next = STEP::Join(acc, static_cast<Acc>(*x));
      *z = static_cast<T>(a.exclusive ? acc : next);
      acc = next;
    }
  }
}

// Lines that are contiguous, cut into slices. The joint value of a slice, in
// the order of the scan.
struct JoinOp {
  template <class X>
  MR_DEVICE static X Identity() {
    return STEP::Identity();
  }
  MR_DEVICE Acc operator()(Acc a, Acc b) const { return STEP::Join(a, b); }
};
extern "C" __global__ void JoinSlices(const ScanArgs a) {
  Acc* const carries = reinterpret_cast<Acc*>(a.carries);
  for (int64_t item = blockIdx.x; item < a.lines * a.slices;
       item += gridDim.x) {
    const int64_t line = item / a.slices;
    const int64_t begin = (item - line * a.slices) * a.slice;
    const int64_t end = MinOf(begin + a.slice, a.n);
    const T* const x = reinterpret_cast<const T*>(a.x) + line * a.n;
    Acc acc = STEP::Identity();
#pragma unroll 4
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
      acc = STEP::Join(acc, At(x, a.reverse ? a.n - 1 - i : i));
    }
    acc = BlockReduce<JoinOp>(acc);
    if (threadIdx.x == 0) carries[item] = acc;
  }
}
// Replaces the values of slices by what comes before each.
extern "C" __global__ void ScanCarries(const ScanArgs a) {
  for (GRID_STRIDE(line, a.lines)) {
    Acc* const carries = reinterpret_cast<Acc*>(a.carries) + line * a.slices;
    Acc acc = STEP::Identity();
    for (int64_t s = 0; s < a.slices; ++s) {
      const Acc next = STEP::Join(acc, carries[s]);
      carries[s] = acc;
      acc = next;
    }
  }
}
// Scans a slice by a block of 256 threads, some elements of each at a time.
extern "C" __global__ void ScanSlices(const ScanArgs a) {
  constexpr int kItems = 4, kThreads = 256;
  alignas(16) __shared__ unsigned char bytes[2 * kThreads * sizeof(Acc)];
  Acc* const shared = reinterpret_cast<Acc*>(bytes);
  for (int64_t item = blockIdx.x; item < a.lines * a.slices;
       item += gridDim.x) {
    const int64_t line = item / a.slices;
    const int64_t begin = (item - line * a.slices) * a.slice;
    const int64_t end = MinOf(begin + a.slice, a.n);
    const T* const x = reinterpret_cast<const T*>(a.x) + line * a.n;
    T* const z = reinterpret_cast<T*>(a.z) + line * a.n;
    Acc carry = a.slices > 1 ? reinterpret_cast<const Acc*>(a.carries)[item]
                             : STEP::Identity();
    for (int64_t first = begin; first < end; first += kThreads * kItems) {
      const int64_t own = first + static_cast<int64_t>(threadIdx.x) * kItems;
      Acc values[kItems];
      Acc total = STEP::Identity();
#pragma unroll
      for (int k = 0; k < kItems; ++k) {
        const int64_t i = own + k;
        values[k] =
            i < end ? At(x, a.reverse ? a.n - 1 - i : i) : STEP::Identity();
        total = STEP::Join(total, values[k]);
      }
      // The totals up to each thread, by doubling distances.
      int now = 0;
      shared[threadIdx.x] = total;
      __syncthreads();
      for (int distance = 1; distance < kThreads; distance *= 2) {
        const Acc* const from = shared + now * kThreads;
        Acc sum = from[threadIdx.x];
        if (static_cast<int>(threadIdx.x) >= distance) {
          sum = STEP::Join(from[threadIdx.x - distance], sum);
        }
        now = 1 - now;
        shared[now * kThreads + threadIdx.x] = sum;
        __syncthreads();
      }
      const Acc* const sums = shared + now * kThreads;
      Acc acc =
          threadIdx.x > 0 ? STEP::Join(carry, sums[threadIdx.x - 1]) : carry;
      carry = STEP::Join(carry, sums[kThreads - 1]);
#pragma unroll
      for (int k = 0; k < kItems; ++k) {
        const int64_t i = own + k;
        const Acc next = STEP::Join(acc, values[k]);
        if (i < end) {
          z[a.reverse ? a.n - 1 - i : i] =
              static_cast<T>(a.exclusive ? acc : next);
        }
        acc = next;
      }
      __syncthreads();
    }
  }
}
