// Fills tensors from a position of a Philox stream, with the numbers and in the
// order of the CPU's kernels. A thread makes what one result of Philox gives:
// four numbers, or two of 64 bits.
//
// Defines: T = half bfloat16 float double
// Defines: T = int32_t int64_t

constexpr int kGroup = sizeof(T) == 8 ? 2 : 4;
// Results of the stream that each output reserves.
constexpr uint64_t kReservedPerOutput = 256;

// Return a number in [0, 1): the bits become the fraction of a number in [1,
// 2).
MR_DEVICE float UniformFloat(uint32_t x) {
  return BitCast<float>(0x3f800000u | (x & 0x7fffffu)) - 1.0f;
}
MR_DEVICE double UniformDouble(uint32_t high, uint32_t low) {
  const uint64_t fraction = static_cast<uint64_t>(high & 0xfffffu) << 32 | low;
  return BitCast<double>(static_cast<uint64_t>(1023) << 52 | fraction) - 1.0;
}

// Writes a group of numbers of which the last may lie behind the end.
template <class N>
MR_DEVICE void StoreGroup(N* z, int64_t group, int64_t n,
                          const Pack<N, kGroup>& numbers) {
  if ((group + 1) * kGroup <= n) {
    reinterpret_cast<Pack<N, kGroup>*>(z)[group] = numbers;
    return;
  }
  for (int i = 0; group * kGroup + i < n; ++i) {
    z[group * kGroup + i] = numbers[i];
  }
}

template <class N>
MR_DEVICE void MakeUniform(const PhiloxResult& r, Pack<N, kGroup>* out) {
  if constexpr (kIsSame<N, double>) {
    (*out)[0] = UniformDouble(r[0], r[1]);
    (*out)[1] = UniformDouble(r[2], r[3]);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (kIsSame<N, half>) {
        const uint16_t bits =
            static_cast<uint16_t>(15u << 10 | (r[i] & 0x3ffu));
        (*out)[i] = half(static_cast<float>(half::FromBits(bits)) - 1.0f);
      } else if constexpr (kIsSame<N, bfloat16>) {
        const uint16_t bits = static_cast<uint16_t>(127u << 7 | (r[i] & 0x7fu));
        (*out)[i] =
            bfloat16(static_cast<float>(bfloat16::FromBits(bits)) - 1.0f);
      } else {
        (*out)[i] = UniformFloat(r[i]);
      }
    }
  }
}

// Make two normal numbers of two uniform ones (Box and Muller, 1958).
MR_DEVICE void MakeNormalPair(uint32_t x0, uint32_t x1, float* out) {
  float u = UniformFloat(x0);
  if (u < 1.0e-7f) u = 1.0e-7f;
  const float radius = sqrtf(-2.0f * logf(u));
  float s, c;
  sincospif(2.0f * UniformFloat(x1), &s, &c);
  out[0] = s * radius;
  out[1] = c * radius;
}
MR_DEVICE void MakeNormalPair(uint32_t x0, uint32_t x1, uint32_t x2,
                              uint32_t x3, double* out) {
  double u = UniformDouble(x0, x1);
  if (u < 1.0e-7) u = 1.0e-7;
  const double radius = sqrt(-2.0 * log(u));
  double s, c;
  sincospi(2.0 * UniformDouble(x2, x3), &s, &c);
  out[0] = s * radius;
  out[1] = c * radius;
}

template <class N>
MR_DEVICE void MakeNormal(const PhiloxResult& r, Pack<N, kGroup>* out) {
  if constexpr (kIsSame<N, double>) {
    double pair[2];
    MakeNormalPair(r[0], r[1], r[2], r[3], pair);
    (*out)[0] = pair[0];
    (*out)[1] = pair[1];
  } else {
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      float pair[2];
      MakeNormalPair(r[i], r[i + 1], pair);
      (*out)[i] = static_cast<N>(pair[0]);
      (*out)[i + 1] = static_cast<N>(pair[1]);
    }
  }
}

// Where the stream begins: `base`, or what TakeState has left.
MR_DEVICE Philox StreamAt(const Philox& base, const Philox* state,
                          uint64_t results) {
  Philox generator = state == nullptr ? base : *state;
  generator.Skip(results);
  return generator;
}

template <class N>
MR_DEVICE void FillUniform(N* z, const Philox& base, const Philox* state,
                           int64_t n) {
  if constexpr (kIsFloat<N>) {
    for (GRID_STRIDE(g, (n + kGroup - 1) / kGroup)) {
      Philox generator = StreamAt(base, state, g);
      Pack<N, kGroup> numbers;
      MakeUniform(generator(), &numbers);
      StoreGroup(z, g, n, numbers);
    }
  }
}
template <class N>
MR_DEVICE void FillNormal(N* z, const Philox& base, const Philox* state,
                          int64_t n) {
  if constexpr (kIsFloat<N>) {
    for (GRID_STRIDE(g, (n + kGroup - 1) / kGroup)) {
      Philox generator = StreamAt(base, state, g);
      Pack<N, kGroup> numbers;
      MakeNormal(generator(), &numbers);
      StoreGroup(z, g, n, numbers);
    }
  }
}

// Each group samples, one pair at a time, from its own part of the stream.
template <class N>
MR_DEVICE void FillTruncated(N* z, const Philox& base, const Philox* state,
                             int64_t n) {
  if constexpr (kIsFloat<N>) {
    constexpr uint64_t kResultsPerGroup = kGroup * kReservedPerOutput / 4;
    for (GRID_STRIDE(g, (n + kGroup - 1) / kGroup)) {
      Philox generator = StreamAt(base, state, g * kResultsPerGroup);
      const int64_t first = g * kGroup;
      const int count =
          n - first < kGroup ? static_cast<int>(n - first) : kGroup;
      int made = 0;
      while (made < count) {
        const PhiloxResult r = generator();
        Compute<N> normal[kGroup];
        if constexpr (kIsSame<N, double>) {
          MakeNormalPair(r[0], r[1], r[2], r[3], normal);
        } else {
          MakeNormalPair(r[0], r[1], normal);
          MakeNormalPair(r[2], r[3], normal + 2);
        }
#pragma unroll
        for (int i = 0; i < kGroup; ++i) {
          if (made < count && fabs(normal[i]) < Compute<N>(2)) {
            z[first + made++] = static_cast<N>(normal[i]);
          }
        }
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
    Uniform(T* z, Philox base, const Philox* state, int64_t n) {
  FillUniform(z, base, state, n);
}
extern "C" __global__ void __launch_bounds__(256)
    Normal(T* z, Philox base, const Philox* state, int64_t n) {
  FillNormal(z, base, state, n);
}
extern "C" __global__ void __launch_bounds__(256)
    Truncated(T* z, Philox base, const Philox* state, int64_t n) {
  FillTruncated(z, base, state, n);
}

// Integers from [low, low + range), given as bits; a range of 0 means all.
// Bounded to six blocks on a multiprocessor, 64-bit numbers stay in registers.
extern "C" __global__ void __launch_bounds__(256, 6)
    Integers(T* z, Philox base, const Philox* state, uint64_t low,
             uint64_t range, int64_t n) {
  typedef typename ChooseType<sizeof(T) == 8, uint64_t, uint32_t>::type U;
  const U limit = static_cast<U>(range);
  for (GRID_STRIDE(g, (n + kGroup - 1) / kGroup)) {
    Philox generator = StreamAt(base, state, g);
    const PhiloxResult r = generator();
    Pack<U, kGroup> numbers;
#pragma unroll
    for (int i = 0; i < kGroup; ++i) {
      U bits;
      if constexpr (sizeof(U) == 8) {
        bits = r[2 * i] | static_cast<uint64_t>(r[2 * i + 1]) << 32;
      } else {
        bits = r[i];
      }
      numbers[i] = limit == 0 ? bits : static_cast<U>(low) + bits % limit;
    }
    StoreGroup(reinterpret_cast<U*>(z), g, n, numbers);
  }
}

// Copies the generator that a variable holds, a counter of two elements and a
// key, and advances the variable by `results`.
extern "C" __global__ void TakeState(int64_t* variable, Philox* state,
                                     uint64_t results) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  Philox here;
  for (int i = 0; i < 2; ++i) {
    const uint64_t counter = static_cast<uint64_t>(variable[i]);
    here.counter[2 * i] = static_cast<uint32_t>(counter);
    here.counter[2 * i + 1] = static_cast<uint32_t>(counter >> 32);
  }
  const uint64_t key = static_cast<uint64_t>(variable[2]);
  here.key[0] = static_cast<uint32_t>(key);
  here.key[1] = static_cast<uint32_t>(key >> 32);
  if (state != nullptr) *state = here;
  here.Skip(results);
  for (int i = 0; i < 2; ++i) {
    variable[i] = static_cast<int64_t>(
        here.counter[2 * i] | static_cast<uint64_t>(here.counter[2 * i + 1])
                                  << 32);
  }
}
