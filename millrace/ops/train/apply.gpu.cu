// The kernels of all optimizers on GPUs: their rules for one element, a loop
// over the elements of whole variables and one over rows of them.
//
// The kernel that is compiled (apply.gpu.cc) defines: T, the type of elements;
// RULE, one of the structs below; FLAG, an attribute of the op that its rule
// knows, as 0 or 1; ROWS, 1 for the kernel that takes rows of gradients.
//
// Defines: T = float double half bfloat16 complex64 complex128;
//      RULE = GradientDescent Adadelta RmsProp CenteredRmsProp; FLAG = 0;
//      ROWS = 0 1
// Defines: T = float double half bfloat16 complex64 complex128;
//      RULE = Momentum KerasMomentum Adagrad AdagradV2; FLAG = 0 1; ROWS = 0 1
// Defines: T = float double half bfloat16 complex64 complex128; RULE = Adam;
//      FLAG = 0 1; ROWS = 0
// Defines: T = float double half bfloat16;
//      RULE = AmsGrad AdaMax AddSign PowerSign; FLAG = 0; ROWS = 0
// Defines: T = float double half bfloat16; RULE = Ftrl FtrlV2; FLAG = 0 1;
//      ROWS = 0 1
// Defines: T = float double; RULE = AdagradDa ProximalGradientDescent;
//      FLAG = 0; ROWS = 0 1
// Defines: T = float double half; RULE = ProximalAdagrad; FLAG = 0; ROWS = 0 1

using Element = Compute<T>;

// Addresses in the device's memory. The host's declaration is in apply.gpu.cc.
struct OptimizerArguments {
  uint64_t variables[4];
  uint64_t gradient;
  uint64_t scalars[6];  // all have the type T but a global step, int64
};

// A rule changes the elements v of its variables by the gradient g and scalars
// h, which Prepare has replaced by what does not depend on elements.
struct OptimizerRule {
  static constexpr bool kGlobalStep = false;  // the last scalar is one
  template <class S>
  MR_DEVICE static void Prepare(S*) {}
};

template <class S>
MR_DEVICE S SquareRoot(S x) {
  return sqrt(x);
}
// Returns the root with a real part that is not negative.
template <class F>
MR_DEVICE complex<F> SquareRoot(complex<F> z) {
  if (z.re == F(0) && z.im == F(0)) return complex<F>(F(0), z.im);
  const F t = sqrt((fabs(z.re) + hypot(z.re, z.im)) / F(2));
  return z.re < F(0) ? complex<F>(fabs(z.im) / (F(2) * t), copysign(t, z.im))
                     : complex<F>(t, z.im / (F(2) * t));
}

// A NaN in b is passed over, one in a is kept, as on CPUs.
template <class S>
MR_DEVICE S LargerOf(S a, S b) {
  return a < b ? b : a;
}
template <class S>
MR_DEVICE S SmallerOf(S a, S b) {
  return b < a ? b : a;
}

struct GradientDescent : OptimizerRule {
  static constexpr int kVariables = 1, kScalars = 1;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[0] = v[0] - h[0] * g;
  }
};

// On whole variables, the accumulator rounds before it is used.
struct Momentum : OptimizerRule {
  static constexpr int kVariables = 2, kScalars = 2;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[1] = v[1] * h[1] + g;
    if (!ROWS) v[1] = static_cast<S>(static_cast<T>(v[1]));
    v[0] = v[0] - (FLAG ? g * h[0] + v[1] * h[1] * h[0] : v[1] * h[0]);
  }
};

// Applies the learning rate inside the accumulator.
struct KerasMomentum : OptimizerRule {
  static constexpr int kVariables = 2, kScalars = 2;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[1] = v[1] * h[1] - g * h[0];
    v[0] = v[0] + (FLAG ? v[1] * h[1] - g * h[0] : v[1]);
  }
};

struct Adagrad : OptimizerRule {
  static constexpr int kVariables = 2, kScalars = 1;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    if (FLAG) v[1] = v[1] + g * g;
    v[0] = v[0] - g * h[0] / SquareRoot(v[1]);
  }
};

// Has an epsilon.
struct AdagradV2 : OptimizerRule {
  static constexpr int kVariables = 2, kScalars = 2;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    if (FLAG) v[1] = v[1] + g * g;
    v[0] = v[0] - g * h[0] / (SquareRoot(v[1]) + h[1]);
  }
};

struct Adadelta : OptimizerRule {
  static constexpr int kVariables = 3, kScalars = 3;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    const S rest = S(1) - h[1];
    v[1] = v[1] * h[1] + g * g * rest;
    const S update = SquareRoot(v[2] + h[2]) / SquareRoot(v[1] + h[2]) * g;
    v[0] = v[0] - update * h[0];
    v[2] = v[2] * h[1] + update * update * rest;
  }
};

// Dual averaging: the sums alone determine the variable.
struct AdagradDa : OptimizerRule {
  static constexpr int kVariables = 3, kScalars = 4;
  static constexpr bool kGlobalStep = true;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[1] = v[1] + g;
    v[2] = v[2] + g * g;
    const S size = fabs(v[1]);
    const S shrunk = h[1] > S(0) ? LargerOf(size - h[1] * h[3], S(0)) : size;
    v[0] = -(h[0] * copysign(shrunk, v[1])) /
           (h[2] * h[3] * h[0] + SquareRoot(v[2]));
  }
};

// The scalars are beta1_power, beta2_power, lr, beta1, beta2 and epsilon; lr
// becomes the rate with the correction of the bias.
struct Adam : OptimizerRule {
  static constexpr int kVariables = 3, kScalars = 6;
  template <class S>
  MR_DEVICE static void Prepare(S* h) {
    h[2] = h[2] * SquareRoot(S(1) - h[1]) / (S(1) - h[0]);
  }
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[1] = v[1] + (g - v[1]) * (S(1) - h[3]);
    v[2] = v[2] + (g * g - v[2]) * (S(1) - h[4]);
    const S direction = FLAG ? g * (S(1) - h[3]) + h[3] * v[1] : v[1];
    v[0] = v[0] - h[2] * direction / (SquareRoot(v[2]) + h[5]);
  }
};

struct AmsGrad : OptimizerRule {
  static constexpr int kVariables = 4, kScalars = 6;
  template <class S>
  MR_DEVICE static void Prepare(S* h) {
    Adam::Prepare(h);
  }
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[1] = v[1] + (g - v[1]) * (S(1) - h[3]);
    v[2] = v[2] + (g * g - v[2]) * (S(1) - h[4]);
    v[3] = LargerOf(v[3], v[2]);
    v[0] = v[0] - v[1] * h[2] / (SquareRoot(v[3]) + h[5]);
  }
};

// The scalars are beta1_power, lr, beta1, beta2 and epsilon.
struct AdaMax : OptimizerRule {
  static constexpr int kVariables = 3, kScalars = 5;
  template <class S>
  MR_DEVICE static void Prepare(S* h) {
    h[1] = h[1] / (S(1) - h[0]);
  }
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[1] = v[1] + (g - v[1]) * (S(1) - h[2]);
    v[2] = LargerOf(h[3] * v[2], S(fabs(g)));
    v[0] = v[0] - h[1] * (v[1] / (v[2] + h[4]));
  }
};

// Returns `average`, moved towards `x`, of which the fraction `rho` is kept.
template <class S>
MR_DEVICE S Averaged(S average, S x, S rho) {
  return ROWS ? average * rho + x * (S(1) - rho)
              : average + (x - average) * (S(1) - rho);
}

// The scalars are lr, rho, momentum and epsilon.
struct RmsProp : OptimizerRule {
  static constexpr int kVariables = 3, kScalars = 4;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[1] = Averaged(v[1], g * g, h[1]);
    v[2] = v[2] * h[2] + g * h[0] / SquareRoot(v[1] + h[3]);
    v[0] = v[0] - v[2];
  }
};

struct CenteredRmsProp : OptimizerRule {
  static constexpr int kVariables = 4, kScalars = 4;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[2] = Averaged(v[2], g * g, h[1]);
    v[1] = Averaged(v[1], g, h[1]);
    v[3] = v[3] * h[2] + g * h[0] / SquareRoot(v[2] - v[1] * v[1] + h[3]);
    v[0] = v[0] - v[3];
  }
};

// The scalars are lr, l1, l2, lr_power and (version 2) l2_shrinkage; FLAG is
// multiply_linear_by_lr.
template <bool kShrinkage>
struct FtrlOf : OptimizerRule {
  static constexpr int kVariables = 3, kScalars = kShrinkage ? 5 : 4;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    const S lr = h[0], l1 = h[1], l2 = h[2];
    const S accum = v[1] + g * g;
    const S shrunk = kShrinkage ? g + S(2) * h[kScalars - 1] * v[0] : g;
    const S old_root = Root(v[1], h[3]);
    const S root = Root(accum, h[3]);
    v[1] = accum;
    if (FLAG) {
      v[2] = v[2] + (shrunk * lr - (root - old_root) * v[0]);
      v[0] = Shrunk(v[2], l1 * lr, root + S(2) * l2 * lr);
    } else {
      v[2] = v[2] + (shrunk - (root - old_root) / lr * v[0]);
      v[0] = Shrunk(v[2], l1, root / lr + S(2) * l2);
    }
  }
  template <class S>
  MR_DEVICE static S Root(S x, S lr_power) {
    return lr_power == S(-0.5) ? SquareRoot(x) : pow(x, -lr_power);
  }
  // Returns how far `linear` is beyond the limit, divided by -y. For the form
  // without rows, NaN is within the limit.
  template <class S>
  MR_DEVICE static S Shrunk(S linear, S limit, S y) {
    if (ROWS) {
      return (SmallerOf(LargerOf(linear, -limit), limit) - linear) / y;
    }
    const S beyond = (copysign(limit, linear) - linear) / y;
    return fabs(linear) > limit ? beyond : S(0);
  }
};
using Ftrl = FtrlOf<false>;
using FtrlV2 = FtrlOf<true>;

// Returns `x` after a proximal step of length `rate` with both regularizations.
template <class S>
MR_DEVICE S ProximalStep(S x, S rate, S l1, S l2) {
  const S size = l1 > S(0) ? LargerOf(S(fabs(x)) - rate * l1, S(0)) : fabs(x);
  return copysign(size, x) / (S(1) + l2 * rate);
}

struct ProximalGradientDescent : OptimizerRule {
  static constexpr int kVariables = 1, kScalars = 3;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[0] = ProximalStep(v[0] - g * h[0], h[0], h[1], h[2]);
  }
};

struct ProximalAdagrad : OptimizerRule {
  static constexpr int kVariables = 2, kScalars = 3;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[1] = v[1] + g * g;
    const S rate = h[0] / SquareRoot(v[1]);
    v[0] = ProximalStep(v[0] - g * rate, rate, h[1], h[2]);
  }
};

// Returns NaN for NaN.
template <class S>
MR_DEVICE S SignOf(S x) {
  return x == x ? S((x > S(0)) - (x < S(0))) : x;
}

// The scalars are lr, alpha, sign_decay and beta.
struct AddSign : OptimizerRule {
  static constexpr int kVariables = 2, kScalars = 4;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[1] = v[1] * h[3] + g * (S(1) - h[3]);
    v[0] = v[0] - h[0] * (h[1] + h[2] * SignOf(g) * SignOf(v[1])) * g;
  }
};

// The scalars are lr, logbase, sign_decay and beta.
struct PowerSign : OptimizerRule {
  static constexpr int kVariables = 2, kScalars = 4;
  template <class S>
  MR_DEVICE static void Update(S* v, S g, const S* h) {
    v[1] = v[1] * h[3] + g * (S(1) - h[3]);
    v[0] = v[0] - h[0] * S(exp(h[1] * h[2] * SignOf(g) * SignOf(v[1]))) * g;
  }
};

// The scalars of one run, read by each thread.
struct Scalars {
  MR_DEVICE explicit Scalars(const OptimizerArguments& a) {
    for (int i = 0; i < RULE::kScalars; ++i) {
      h[i] =
          RULE::kGlobalStep && i + 1 == RULE::kScalars
              ? static_cast<Element>(static_cast<double>(
                    *reinterpret_cast<const int64_t*>(a.scalars[i])))
              : static_cast<Element>(*reinterpret_cast<const T*>(a.scalars[i]));
    }
    RULE::Prepare(h);
  }
  Element h[RULE::kScalars];
};

#if !ROWS
// As many neighbouring elements as one access to memory moves.
constexpr int kPackElements = 16 / sizeof(T);

template <int kElements>
MR_DEVICE void UpdatePack(const OptimizerArguments& a, const Scalars& scalars,
                          int64_t pack) {
  using P = Pack<T, kElements>;
  P p[RULE::kVariables];
#pragma unroll
  for (int k = 0; k < RULE::kVariables; ++k) {
    p[k] = reinterpret_cast<const P*>(a.variables[k])[pack];
  }
  const P g = reinterpret_cast<const P*>(a.gradient)[pack];
#pragma unroll
  for (int i = 0; i < kElements; ++i) {
    Element v[RULE::kVariables];
#pragma unroll
    for (int k = 0; k < RULE::kVariables; ++k) {
      v[k] = static_cast<Element>(p[k][i]);
    }
    RULE::Update(v, static_cast<Element>(g[i]), scalars.h);
#pragma unroll
    for (int k = 0; k < RULE::kVariables; ++k) p[k][i] = static_cast<T>(v[k]);
  }
#pragma unroll
  for (int k = 0; k < RULE::kVariables; ++k) {
    reinterpret_cast<P*>(a.variables[k])[pack] = p[k];
  }
}

// Updates n elements, the first of them in `packs` packs, which need addresses
// that are multiples of 16.
extern "C" __global__ void Dense(OptimizerArguments a, int64_t packs,
                                 int64_t n) {
  const Scalars scalars(a);
  const int64_t first = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const int64_t step = int64_t{gridDim.x} * blockDim.x;
  for (int64_t i = first; i < packs; i += step) {
    UpdatePack<kPackElements>(a, scalars, i);
  }
  for (int64_t i = packs * kPackElements + first; i < n; i += step) {
    UpdatePack<1>(a, scalars, i);
  }
}
#else
constexpr int kAhead = 4;

// Updates rows of `row_elements`. Each of `count` keys is the number of a row,
// shifted left by `position_bits`, and below it the position of its gradient;
// they are sorted, those of no row last (ops/state/rows/row_order.gpu.h). The
// threads of a block are 2^lane_bits lanes for the elements of a row by a
// number of rows; neighbouring blocks, `blocks_per_row` of them, share those
// rows. The first key of a row finds all its gradients, which are applied one
// after another.
extern "C" __global__ void Rows(OptimizerArguments a, const uint64_t* keys,
                                int64_t count, int position_bits,
                                int64_t row_elements, int lane_bits,
                                int blocks_per_row) {
  const Scalars scalars(a);
  const uint64_t none = ~uint64_t{0} >> position_bits;
  const uint64_t position_mask = ~(~uint64_t{0} << position_bits);
  const T* const gradient = reinterpret_cast<const T*>(a.gradient);
  const int64_t rows_per_block = blockDim.x >> lane_bits;
  const int64_t lanes = int64_t{blocks_per_row} << lane_bits;
  const int64_t lane = (int64_t{blockIdx.x % blocks_per_row} << lane_bits) +
                       (threadIdx.x & ((1 << lane_bits) - 1));
  const int64_t step = gridDim.x / blocks_per_row * rows_per_block;
  for (int64_t s = blockIdx.x / blocks_per_row * rows_per_block +
                   (threadIdx.x >> lane_bits);
       s < count; s += step) {
    const uint64_t row = keys[s] >> position_bits;
    if (row == none || (s > 0 && keys[s - 1] >> position_bits == row)) continue;
    for (int64_t e = lane; e < row_elements; e += lanes) {
      const int64_t at = static_cast<int64_t>(row) * row_elements + e;
      Element v[RULE::kVariables];
#pragma unroll
      for (int k = 0; k < RULE::kVariables; ++k) {
        v[k] = static_cast<Element>(
            reinterpret_cast<const T*>(a.variables[k])[at]);
      }
      // Several gradients are read at once, since each takes a while to come.
      bool more = true;
      for (int64_t i = s; more; i += kAhead) {
        T g[kAhead];
        bool is_there[kAhead];
#pragma unroll
        for (int j = 0; j < kAhead; ++j) {
          const uint64_t key = i + j < count ? keys[i + j] : ~uint64_t{0};
          is_there[j] = key >> position_bits == row;
          const int64_t position = static_cast<int64_t>(key & position_mask);
          if (is_there[j]) g[j] = gradient[position * row_elements + e];
        }
#pragma unroll
        for (int j = 0; j < kAhead; ++j) {
          if (!is_there[j]) continue;
          RULE::Update(v, static_cast<Element>(g[j]), scalars.h);
          // Each update rounds, as if it had been stored.
#pragma unroll
          for (int k = 0; k < RULE::kVariables; ++k) {
            v[k] = static_cast<Element>(static_cast<T>(v[k]));
          }
        }
        more = is_there[kAhead - 1];
      }
#pragma unroll
      for (int k = 0; k < RULE::kVariables; ++k) {
        reinterpret_cast<T*>(a.variables[k])[at] = static_cast<T>(v[k]);
      }
    }
  }
}
#endif
