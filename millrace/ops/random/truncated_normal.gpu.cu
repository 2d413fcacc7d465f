// Normal numbers between limits, in the arithmetic of T and in the order of the
// CPU's kernel: batches go on with one stream, so one block makes all. Its
// threads try groups of candidates, which the first one takes in their order.
//
// Defines: T = half float double
// Texts: random/fill.gpu.cu

typedef Compute<T> C;

constexpr int kTriers = 64;          // threads
constexpr int kMostAttempts = 1000;  // for a number

MR_DEVICE float ExpOf(float x) { return expf(x); }
MR_DEVICE double ExpOf(double x) { return exp(x); }
MR_DEVICE float LogOf(float x) { return logf(x); }
MR_DEVICE double LogOf(double x) { return log(x); }
MR_DEVICE float RootOf(float x) { return sqrtf(x); }
MR_DEVICE double RootOf(double x) { return sqrt(x); }

MR_DEVICE C Rounded(C x) { return static_cast<C>(static_cast<T>(x)); }
MR_DEVICE C Times(C a, C b) { return Rounded(RoundedProduct(a, b)); }

enum Method { kFromNormal = 0, kFromUniform = 1, kFromExponential = 2 };

// How the numbers of a batch are sampled.
struct Truncation {
  C mean, deviation, low, high;  // limits of normalized numbers
  C width, plus, alpha;
  int method;
  bool valid;

  MR_DEVICE Truncation(C given_mean, C given_deviation, C from, C to)
      : mean(given_mean), deviation(given_deviation), plus(0), alpha(0) {
    valid = deviation > 0 && from < to && (IsFinite(from) || IsFinite(to));
    // The lower limit becomes the nearer one.
    if ((IsInf(from) && from < 0) || to < mean) {
      const C other = from;
      from = to;
      to = other;
      deviation = -deviation;
    }
    low = Rounded(Rounded(from - mean) / deviation);
    high = Rounded(Rounded(to - mean) / deviation);
    const C far = Rounded(C(1.3));
    width = Rounded(high - low);
    method = kFromNormal;
    if ((low < -far && high >= 0) || (high > far && low <= 0)) return;
    const C square = Times(low, low);
    const C root = Rounded(RootOf(Rounded(square + 4)));
    const C exponent =
        Rounded(C(0.5) + Rounded(Times(low, Rounded(low - root)) / 4));
    const C widest =
        Rounded(Times(C(2), Rounded(ExpOf(exponent))) / Rounded(low + root));
    plus = low < 0 ? C(0) : square;
    alpha = Rounded(Rounded(low + root) / 2);
    method = width < widest ? kFromUniform : kFromExponential;
  }

  // The results of the stream for a group, and the candidates in it.
  MR_DEVICE int Results() const { return method == kFromUniform ? 2 : 1; }
  MR_DEVICE int Candidates() const {
    return method == kFromExponential ? kGroup / 2 : kGroup;
  }

  // Sets a group's candidates; returns bits of those that are accepted.
  MR_DEVICE int Try(Philox generator, C* z) const {
    Pack<T, kGroup> first, second;
    int accepted = 0;
    if (method == kFromNormal) {
      MakeNormal(generator(), &first);
      for (int i = 0; i < kGroup; ++i) {
        z[i] = static_cast<C>(first[i]);
        if (z[i] >= low && z[i] <= high) accepted |= 1 << i;
      }
    } else if (method == kFromUniform) {
      MakeUniform(generator(), &first);
      MakeUniform(generator(), &second);
      for (int i = 0; i < kGroup; ++i) {
        z[i] = Rounded(Times(static_cast<C>(first[i]), width) + low);
        const C density =
            Rounded(ExpOf(Rounded(Rounded(plus - Times(z[i], z[i])) / 2)));
        if (static_cast<C>(second[i]) <= density) accepted |= 1 << i;
      }
    } else {
      MakeUniform(generator(), &first);
      for (int i = 0; i < kGroup / 2; ++i) {
        z[i] = Rounded(
            Rounded(Rounded(-LogOf(static_cast<C>(first[2 * i]))) / alpha) +
            low);
        const C x = low < alpha ? Rounded(alpha - z[i]) : Rounded(low - alpha);
        const C density = Rounded(ExpOf(Rounded(-Times(x, x) / 2)));
        if (static_cast<C>(first[2 * i + 1]) <= density && z[i] < high) {
          accepted |= 1 << i;
        }
      }
    }
    return accepted;
  }
};

// The state that threads share: how many groups of a round are taken, what each
// has accepted, and where its numbers go.
struct Round {
  int accepted[kTriers];
  int64_t place[kTriers];
  int64_t made;  // numbers of the batch
  int attempts;  // since the last one
  int taken;
  bool failed;
};

// Takes groups in their order until the batch is full.
MR_DEVICE void TakeGroups(Round* r, int candidates, int64_t wanted) {
  // One thread does this while the others wait, so it counts in registers.
  int64_t made = r->made;
  int attempts = r->attempts, group = 0;
  bool failed = false;
  while (group < kTriers && made < wanted && !failed) {
    const int bits = r->accepted[group];
    r->place[group++] = made;
    for (int i = 0; i < candidates && made < wanted && !failed; ++i) {
      if ((bits >> i & 1) != 0) {
        ++made;
        attempts = 0;
      } else {
        failed = ++attempts >= kMostAttempts;
      }
    }
  }
  r->made = made;
  r->attempts = attempts;
  r->taken = group;
  r->failed = failed;
}

struct TruncatedArgs {
  const T* parameters[4];  // means, deviations, lower and upper limits
  int64_t steps[4];        // 0: one for all batches
  int64_t batches, samples, size;
};

// What goes wrong ends it: *wrong is 1 for bad parameters, or 2 and the method
// that found no number.
extern "C" __global__ void __launch_bounds__(kTriers)
    SampleTruncated(T* z, Philox generator, TruncatedArgs a, int32_t* wrong) {
  __shared__ Round round;
  for (int64_t b = 0; b < a.batches; ++b) {
    C p[4];
    for (int i = 0; i < 4; ++i) {
      p[i] = static_cast<C>(a.parameters[i][b * a.steps[i]]);
    }
    const Truncation t(p[0], p[1], p[2], p[3]);
    if (!t.valid) {
      if (threadIdx.x == 0) *wrong = 1;
      return;
    }
    const int64_t wanted = MinOf(a.samples, a.size - b * a.samples);
    T* const out = z + b * a.samples;
    if (threadIdx.x == 0) {
      round.made = 0;
      round.attempts = 0;
    }
    int64_t made = 0;
    while (made < wanted) {
      C candidates[kGroup];
      Philox mine = generator;
      mine.Skip(static_cast<uint64_t>(threadIdx.x) * t.Results());
      int bits = t.Try(mine, candidates);
      round.accepted[threadIdx.x] = bits;
      __syncthreads();
      if (threadIdx.x == 0) TakeGroups(&round, t.Candidates(), wanted);
      __syncthreads();
      if (static_cast<int>(threadIdx.x) < round.taken) {
        int64_t place = round.place[threadIdx.x];
        for (int i = 0; i < t.Candidates() && place < wanted; ++i) {
          if ((bits >> i & 1) == 0) continue;
          out[place++] =
              static_cast<T>(Times(candidates[i], t.deviation) + t.mean);
        }
      }
      generator.Skip(static_cast<uint64_t>(round.taken) * t.Results());
      made = round.made;
      const bool failed = round.failed;
      __syncthreads();  // all have read the round
      if (failed) {
        if (threadIdx.x == 0) *wrong = 2 + t.method;
        return;
      }
    }
  }
}
