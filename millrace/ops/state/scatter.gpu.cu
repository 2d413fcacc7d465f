// Updates rows or slices of a variable. T is the type of elements; OP is one of
// the structs below.
//
// Defines: T = uint8_t uint16_t uint32_t uint64_t complex128; OP = ReplaceOp
// Defines: T = bool uint8_t uint16_t uint32_t uint64_t half bfloat16 float
//      double complex64 complex128; OP = AddOp SubtractOp
// Defines: T = uint8_t uint16_t uint32_t uint64_t half bfloat16 float double
//      complex64 complex128; OP = MultiplyOp DivideOp
// Defines: T = int8_t int16_t int64_t; OP = DivideOp
// Defines: T = int8_t int16_t int64_t uint8_t uint16_t uint32_t uint64_t half
//      bfloat16 float double; OP = SmallerOp LargerOp

struct ReplaceOp {
  template <class S>
  MR_DEVICE static S Of(S, S b) {
    return b;
  }
};

struct AddOp {
  template <class S>
  MR_DEVICE static S Of(S a, S b) {
    return a + b;
  }
  MR_DEVICE static bool Of(bool a, bool b) { return a || b; }
};

struct SubtractOp {
  template <class S>
  MR_DEVICE static S Of(S a, S b) {
    return a - b;
  }
  MR_DEVICE static bool Of(bool a, bool b) { return a != b; }
};

struct MultiplyOp {
  template <class S>
  MR_DEVICE static S Of(S a, S b) {
    // Small integers would be multiplied as int, which may overflow.
    if constexpr (kIsInteger<S>) {
      return static_cast<S>(static_cast<uint64_t>(a) *
                            static_cast<uint64_t>(b));
    } else {
      return a * b;
    }
  }
};

// Integers are truncated; a quotient by 0 is 0, since nothing can be reported
// from here.
struct DivideOp {
  template <class S>
  MR_DEVICE static S Of(S a, S b) {
    if constexpr (kIsInteger<S>) {
      if (b == S(0)) return S(0);
      // The smallest number divided by -1 is itself.
      if (S(-1) < S(0) && b == S(-1)) {
        return static_cast<S>(uint64_t{0} - static_cast<uint64_t>(a));
      }
    }
    if constexpr (kIsComplex<S>) {
      // As on CPUs, infinite where the prelude's division would give NaN.
      using Part = decltype(b.re);
      if (b == S(0)) {
        const Part infinite = copysign(Infinity<Part>(), b.re);
        return S(infinite * a.re, infinite * a.im);
      }
    }
    return a / b;
  }
};

struct SmallerOp {
  template <class S>
  MR_DEVICE static S Of(S a, S b) {
    return b < a ? b : a;
  }
};

struct LargerOp {
  template <class S>
  MR_DEVICE static S Of(S a, S b) {
    return a < b ? b : a;
  }
};

using Element = Compute<T>;

constexpr int kAhead = 4;

// Updates slices of `elements` of `to` by those of `updates`, or all elements
// by the one that is there if `scalar` is set. The keys are those of
// row_order.gpu.h. The threads of a block are 2^lane_bits lanes for elements by
// a number of slices; neighbouring blocks, `blocks_per_slice` of them, share
// those slices. The first key of a slice finds all its updates, which are made
// one after another, and each rounds.
extern "C" __global__ void Scatter(T* to, const T* updates, bool scalar,
                                   const uint64_t* keys, int64_t count,
                                   int position_bits, int64_t elements,
                                   int lane_bits, int blocks_per_slice) {
  const uint64_t none = ~uint64_t{0} >> position_bits;
  const uint64_t position_mask = ~(~uint64_t{0} << position_bits);
  const int64_t slices_per_block = blockDim.x >> lane_bits;
  const int64_t lanes = int64_t{blocks_per_slice} << lane_bits;
  const int64_t lane = (int64_t{blockIdx.x % blocks_per_slice} << lane_bits) +
                       (threadIdx.x & ((1 << lane_bits) - 1));
  const int64_t step = gridDim.x / blocks_per_slice * slices_per_block;
  for (int64_t s = blockIdx.x / blocks_per_slice * slices_per_block +
                   (threadIdx.x >> lane_bits);
       s < count; s += step) {
    const uint64_t slice = keys[s] >> position_bits;
    if (slice == none) continue;
    if (kIsSame<OP, ReplaceOp>) {
      // The last one stays.
      if (s + 1 < count && keys[s + 1] >> position_bits == slice) continue;
    } else {
      if (s > 0 && keys[s - 1] >> position_bits == slice) continue;
    }
    for (int64_t e = lane; e < elements; e += lanes) {
      T* const place = to + static_cast<int64_t>(slice) * elements + e;
      const auto update = [&](uint64_t key) {
        const int64_t position = static_cast<int64_t>(key & position_mask);
        return scalar ? updates[0] : updates[position * elements + e];
      };
      if (kIsSame<OP, ReplaceOp>) {
        *place = update(keys[s]);
      } else {
        // Several updates are read at once, since each takes a while to come.
        T value = *place;
        bool more = true;
        for (int64_t i = s; more; i += kAhead) {
          T next[kAhead];
          bool is_there[kAhead];
#pragma unroll
          for (int j = 0; j < kAhead; ++j) {
            const uint64_t key = i + j < count ? keys[i + j] : ~uint64_t{0};
            is_there[j] = key >> position_bits == slice;
            if (is_there[j]) next[j] = update(key);
          }
#pragma unroll
          for (int j = 0; j < kAhead; ++j) {
            if (!is_there[j]) continue;
            value = static_cast<T>(OP::Of(static_cast<Element>(value),
                                          static_cast<Element>(next[j])));
          }
          more = is_there[kAhead - 1];
        }
        *place = value;
      }
    }
  }
}
