// Running results of elements of type T by STEP, one of the structs below.
//
// Defines: T = float double half bfloat16 int8_t int32_t int64_t uint8_t
//      uint64_t complex64 complex128; STEP = SumStep ProdStep
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

// The joint values of slices go to carries[line, slice], in the order of the
// scan.
MR_DEVICE Acc* CarriesOf(const ScanArgs& a) {
  return reinterpret_cast<Acc*>(a.carries);
}

// Lines beside each other: a thread for a slice of each.
struct ColumnSlice {
  int64_t carry, at, step, n;  // place of its carry, first element

  MR_DEVICE ColumnSlice(const ScanArgs& a, int64_t item) {
    const int64_t column = item % a.inner, rest = item / a.inner;
    const int64_t slice = rest % a.slices, outer = rest / a.slices;
    const int64_t begin = slice * a.slice;
    const int64_t first = a.reverse ? a.n - 1 - begin : begin;
    carry = (outer * a.inner + column) * a.slices + slice;
    at = (outer * a.n + first) * a.inner + column;
    step = a.reverse ? -a.inner : a.inner;
    n = MinOf(a.slice, a.n - begin);
  }
};
extern "C" __global__ void JoinColumns(const ScanArgs a) {
  for (GRID_STRIDE(item, a.lines * a.slices)) {
    const ColumnSlice s(a, item);
    const T* x = reinterpret_cast<const T*>(a.x) + s.at;
    Acc acc = STEP::Identity();
#pragma unroll 4
    for (int64_t i = 0; i < s.n; ++i) {
      acc = STEP::Join(acc, At(x, i * s.step));
    }
    CarriesOf(a)[s.carry] = acc;
  }
}
extern "C" __global__ void ScanColumns(const ScanArgs a) {
  for (GRID_STRIDE(item, a.lines * a.slices)) {
    const ColumnSlice s(a, item);
    const T* x = reinterpret_cast<const T*>(a.x) + s.at;
    T* z = reinterpret_cast<T*>(a.z) + s.at;
    Acc acc = a.slices > 1 ? CarriesOf(a)[s.carry] : STEP::Identity();
    for (int64_t i = 0; i < s.n; ++i, x += s.step, z += s.step) {
      const Acc next = STEP::Join(acc, static_cast<Acc>(*x));
      *z = static_cast<T>(a.exclusive ? acc : next);
      acc = next;
    }
  }
}

// Lines that are contiguous: a block for a slice of each.
struct JoinOp {
  template <class X>
  MR_DEVICE static X Identity() {
    return STEP::Identity();
  }
  MR_DEVICE Acc operator()(Acc a, Acc b) const { return STEP::Join(a, b); }
};
extern "C" __global__ void JoinSlices(const ScanArgs a) {
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
    if (threadIdx.x == 0) CarriesOf(a)[item] = acc;
  }
}
// Returns the joint values of the block's 256 threads up to each, in `shared`,
// which has room for twice as many. All threads call it, and wait for each
// other before they call it again.
constexpr int kThreads = 256;
MR_DEVICE const Acc* JoinThreads(Acc* shared, Acc value) {
  int now = 0;
  shared[threadIdx.x] = value;
  __syncthreads();
  // By doubling distances.
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
  return shared + now * kThreads;
}
// Replaces the values of slices by what comes before each: a block for a line,
// of whose slices each thread has some beside each other.
extern "C" __global__ void ScanCarries(const ScanArgs a) {
  alignas(16) __shared__ unsigned char bytes[2 * kThreads * sizeof(Acc)];
  for (int64_t line = blockIdx.x; line < a.lines; line += gridDim.x) {
    Acc* const carries = CarriesOf(a) + line * a.slices;
    const int64_t share = (a.slices + kThreads - 1) / kThreads;
    const int64_t begin = static_cast<int64_t>(threadIdx.x) * share;
    const int64_t end = MinOf(begin + share, a.slices);
    Acc total = STEP::Identity();
    for (int64_t s = begin; s < end; ++s) total = STEP::Join(total, carries[s]);
    const Acc* const sums = JoinThreads(reinterpret_cast<Acc*>(bytes), total);
    Acc acc = threadIdx.x > 0 ? sums[threadIdx.x - 1] : STEP::Identity();
    for (int64_t s = begin; s < end; ++s) {
      const Acc next = STEP::Join(acc, carries[s]);
      carries[s] = acc;
      acc = next;
    }
    __syncthreads();
  }
}
// Scans a slice by a block of 256 threads, some elements of each at a time.
extern "C" __global__ void ScanSlices(const ScanArgs a) {
  constexpr int kItems = 4;
  alignas(16) __shared__ unsigned char bytes[2 * kThreads * sizeof(Acc)];
  Acc* const shared = reinterpret_cast<Acc*>(bytes);
  for (int64_t item = blockIdx.x; item < a.lines * a.slices;
       item += gridDim.x) {
    const int64_t line = item / a.slices;
    const int64_t begin = (item - line * a.slices) * a.slice;
    const int64_t end = MinOf(begin + a.slice, a.n);
    const T* const x = reinterpret_cast<const T*>(a.x) + line * a.n;
    T* const z = reinterpret_cast<T*>(a.z) + line * a.n;
    Acc carry = a.slices > 1 ? CarriesOf(a)[item] : STEP::Identity();
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
      const Acc* const sums = JoinThreads(shared, total);
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
