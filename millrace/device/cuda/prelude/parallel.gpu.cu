// Positions of threads, reductions over warps and blocks, atomics, sorts.
// Stands behind numbers.gpu.cu.

// ---- Positions.

// for (GRID_STRIDE(i, n)) visits [0, n) over all threads of the grid. `i` has
// the type of `n`.
#define GRID_STRIDE(i, n)                                                    \
  decltype((n) + 0) i =                                                      \
      static_cast<decltype((n) + 0)>(blockIdx.x) * blockDim.x + threadIdx.x; \
  i < (n);                                                                   \
  i += static_cast<decltype((n) + 0)>(gridDim.x) * blockDim.x

// N values of T that are read and written at once, from a place that is
// aligned to all of them.
template <class T, int N>
struct alignas(sizeof(T) * N) Pack {
  T v[N];
  MR_DEVICE T& operator[](int i) { return v[i]; }
  MR_DEVICE const T& operator[](int i) const { return v[i]; }
};

// Divides numbers below 2^31 by a constant that the host has prepared
// (GpuDivisor of launch.h), with a product instead of a division.
struct IntDivisor {
  uint32_t divisor, multiplier, shift;
  MR_DEVICE friend uint32_t operator/(uint32_t n, const IntDivisor& d) {
    return (__umulhi(n, d.multiplier) + n) >> d.shift;
  }
  MR_DEVICE friend uint32_t operator%(uint32_t n, const IntDivisor& d) {
    return n - n / d * d.divisor;
  }
};

// ---- Reductions. Blocks have whole warps: a multiple of 32 threads.

// What reduces: a value that changes nothing, and the joint value of two.
struct SumOp {
  template <class T>
  MR_DEVICE static T Identity() {
    return T(0);
  }
  template <class T>
  MR_DEVICE T operator()(T a, T b) const {
    return a + b;
  }
};
struct ProdOp {
  template <class T>
  MR_DEVICE static T Identity() {
    return T(1);
  }
  template <class T>
  MR_DEVICE T operator()(T a, T b) const {
    return a * b;
  }
};
// Where a value is no number, the result is none.
struct MinOp {
  template <class T>
  MR_DEVICE static T Identity() {
    return Infinity<T>();
  }
  template <class T>
  MR_DEVICE T operator()(T a, T b) const {
    return IsNan(a) || a < b ? a : b;
  }
};
struct MaxOp {
  template <class T>
  MR_DEVICE static T Identity() {
    return MinusInfinity<T>();
  }
  template <class T>
  MR_DEVICE T operator()(T a, T b) const {
    return IsNan(a) || a > b ? a : b;
  }
};
struct AllOp {
  template <class T>
  MR_DEVICE static T Identity() {
    return T(true);
  }
  template <class T>
  MR_DEVICE T operator()(T a, T b) const {
    return T(a && b);
  }
};
struct AnyOp {
  template <class T>
  MR_DEVICE static T Identity() {
    return T(false);
  }
  template <class T>
  MR_DEVICE T operator()(T a, T b) const {
    return T(a || b);
  }
};

// The value of the lane whose number differs by the bits of `mask`. All lanes
// of the warp call it.
template <class T>
MR_DEVICE T ShuffleXor(T value, int mask) {
  if constexpr (sizeof(T) < 4) {
    uint32_t word = 0;
    memcpy(&word, &value, sizeof(T));
    word = __shfl_xor_sync(0xffffffffu, word, mask);
    memcpy(&value, &word, sizeof(T));
  } else {
    static_assert(sizeof(T) % 4 == 0, "whole words");
    uint32_t words[sizeof(T) / 4];
    memcpy(words, &value, sizeof(T));
#pragma unroll
    for (int i = 0; i < int(sizeof(T) / 4); ++i) {
      words[i] = __shfl_xor_sync(0xffffffffu, words[i], mask);
    }
    memcpy(&value, words, sizeof(T));
  }
  return value;
}

// The joint value of the warp's 32 lanes, in each of them.
template <class Op, class T>
MR_DEVICE T WarpReduce(T value, Op op = Op()) {
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
    value = op(value, ShuffleXor(value, mask));
  }
  return value;
}

// The joint value of the block's threads, in each of them. All threads call it.
template <class Op, class T>
MR_DEVICE T BlockReduce(T value, Op op = Op()) {
  // Bytes, since shared variables may have no constructor.
  alignas(16) __shared__ unsigned char bytes[32 * sizeof(T)];
  T* const of_warps = reinterpret_cast<T*>(bytes);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int warps = blockDim.x / 32;
  value = WarpReduce<Op>(value, op);
  if (warps == 1) return value;
  __syncthreads();  // an earlier call may still read
  if (lane == 0) of_warps[warp] = value;
  __syncthreads();
  value = lane < warps ? of_warps[lane] : Op::template Identity<T>();
  return WarpReduce<Op>(value, op);
}

// ---- Atomics.

// Replaces *p by f(*p), and returns what it was.
template <class T, class F>
MR_DEVICE T AtomicUpdate(T* p, F f) {
  if constexpr (sizeof(T) == 8) {
    unsigned long long* const word = reinterpret_cast<unsigned long long*>(p);
    unsigned long long seen = *word, expected;
    do {
      expected = seen;
      seen = atomicCAS(word, expected,
                       BitCast<unsigned long long>(f(BitCast<T>(expected))));
    } while (seen != expected);
    return BitCast<T>(seen);
  } else if constexpr (sizeof(T) == 4) {
    unsigned* const word = reinterpret_cast<unsigned*>(p);
    unsigned seen = *word, expected;
    do {
      expected = seen;
      seen =
          atomicCAS(word, expected, BitCast<unsigned>(f(BitCast<T>(expected))));
    } while (seen != expected);
    return BitCast<T>(seen);
  } else {
    // The part of a word of 32 bits, all of which the pool's block has.
    static_assert(sizeof(T) <= 2, "1, 2, 4 or 8 bytes");
    typedef typename ChooseType<sizeof(T) == 2, uint16_t, uint8_t>::type Bits;
    const uint64_t address = reinterpret_cast<uint64_t>(p);
    unsigned* const word = reinterpret_cast<unsigned*>(address & ~uint64_t(3));
    const unsigned shift = static_cast<unsigned>(address & 3) * 8;
    const unsigned mask = static_cast<unsigned>(static_cast<Bits>(~0u))
                          << shift;
    unsigned seen = *word, expected;
    do {
      expected = seen;
      const Bits old = static_cast<Bits>(expected >> shift);
      const unsigned bits = BitCast<Bits>(T(f(BitCast<T>(old))));
      seen = atomicCAS(word, expected, (expected & ~mask) | bits << shift);
    } while (seen != expected);
    return BitCast<T>(static_cast<Bits>(seen >> shift));
  }
}

// Whether the card adds doubles at once: from compute capability 6.0 on.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 600
constexpr bool kAddsDoubles = false;
#else
constexpr bool kAddsDoubles = true;
#endif

template <class T>
MR_DEVICE void AtomicAdd(T* p, T value) {
  if constexpr (kIsSame<T, float> || (kIsSame<T, double> && kAddsDoubles)) {
    atomicAdd(p, value);
  } else if constexpr (kIsComplex<T>) {
    AtomicAdd(&p->re, value.re);
    AtomicAdd(&p->im, value.im);
  } else if constexpr (kIsInteger<T> && sizeof(T) == 4) {
    atomicAdd(reinterpret_cast<unsigned*>(p), static_cast<unsigned>(value));
  } else if constexpr (kIsInteger<T> && sizeof(T) == 8) {
    atomicAdd(reinterpret_cast<unsigned long long*>(p),
              static_cast<unsigned long long>(value));
  } else {
    AtomicUpdate(p, [value](T old) { return T(old + value); });
  }
}
template <class T>
MR_DEVICE void AtomicSub(T* p, T value) {
  AtomicAdd(p, T(-value));
}
// complex128 has no multiplication: its 16 bytes are no word.
template <class T>
MR_DEVICE void AtomicMul(T* p, T value) {
  AtomicUpdate(p, [value](T old) { return T(old * value); });
}
template <class T>
MR_DEVICE void AtomicDiv(T* p, T value) {
  AtomicUpdate(p, [value](T old) { return T(old / value); });
}
template <class T>
MR_DEVICE void AtomicMin(T* p, T value) {
  AtomicUpdate(p, [value](T old) { return MinOp()(old, value); });
}
template <class T>
MR_DEVICE void AtomicMax(T* p, T value) {
  AtomicUpdate(p, [value](T old) { return MaxOp()(old, value); });
}

// ---- Sorts.

// Sorts `run` items, a power of two, in the memory of a block, all of whose
// threads call it when they have written their items; `before(a, b)` is a
// strict order. A bitonic network.
template <class Item, class Before>
MR_DEVICE void SortInBlock(Item* items, int run, Before before) {
  for (int size = 2; size <= run; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      for (int i = threadIdx.x; i < run / 2; i += blockDim.x) {
        const int low = 2 * i - (i & (stride - 1));
        const Item a = items[low], b = items[low + stride];
        const bool rising = (low & size) == 0;
        if (before(b, a) == rising) {
          items[low] = b;
          items[low + stride] = a;
        }
      }
    }
  }
  __syncthreads();
}

// Returns where item i goes when pairs of sorted runs of `run` items are
// merged: its place in its own run and the number of those before it in the
// other one. Equal items keep their order.
template <class Item, class Before>
MR_DEVICE int64_t PlaceInMerge(const Item* items, int64_t i, int64_t count,
                               int64_t run, Before before) {
  const Item item = items[i];
  const int64_t pair = i / (2 * run) * (2 * run);
  const bool in_first = i - pair < run;
  const int64_t other = in_first ? MinOf(pair + run, count) : pair;
  int64_t low = other, high = MinOf(other + run, count);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (in_first ? before(items[middle], item) : !before(item, items[middle])) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return i - (in_first ? 0 : run) + (low - other);
}
