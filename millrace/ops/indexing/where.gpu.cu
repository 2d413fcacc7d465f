// The places of elements that are not zero. W is an unsigned type of words of
// elements, WORDS how many an element has, MASK the bits that say whether it is
// zero: the sign of a floating-point number is ignored, since there is a
// negative zero.
//
// Defines: W = uint8_t uint16_t uint32_t uint64_t; WORDS = 1;
//      MASK = 0x7fffffffu
// Defines: W = uint64_t; WORDS = 2; MASK = 0x7fffffffffffffffu

constexpr int kWhereThreads = 256, kWherePerThread = 8;
constexpr int kWhereBlock = kWhereThreads * kWherePerThread;

MR_DEVICE bool IsTrue(const W* x, int64_t i) {
  const W mask = static_cast<W>(MASK);
  W bits = x[i * WORDS] & mask;
  if (WORDS == 2) bits |= x[i * WORDS + WORDS - 1] & mask;
  return bits != 0;
}

// Counts those of each piece of kWhereBlock elements, a block for each.
extern "C" __global__ void CountTrue(const W* x, int64_t n, int64_t* counts) {
  const int64_t begin = int64_t{blockIdx.x} * kWhereBlock;
  int count = 0;
  for (int k = 0; k < kWherePerThread; ++k) {
    const int64_t i = begin + k * kWhereThreads + threadIdx.x;
    if (i < n && IsTrue(x, i)) ++count;
  }
  count = BlockReduce<SumOp>(count);
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

// Replaces counts by their sum before each, and sets the last, `counts[n]`, to
// the sum of all. One block.
extern "C" __global__ void AddCounts(int64_t* counts, int64_t n) {
  __shared__ int64_t sums[2 * kWhereThreads];
  int64_t before = 0;
  for (int64_t first = 0; first < n; first += kWhereThreads) {
    const int64_t i = first + threadIdx.x;
    const int64_t own = i < n ? counts[i] : 0;
    int now = 0;
    sums[threadIdx.x] = own;
    __syncthreads();
    for (int distance = 1; distance < kWhereThreads; distance *= 2) {
      const int64_t* const from = sums + now * kWhereThreads;
      int64_t sum = from[threadIdx.x];
      if (static_cast<int>(threadIdx.x) >= distance) {
        sum += from[threadIdx.x - distance];
      }
      now = 1 - now;
      sums[now * kWhereThreads + threadIdx.x] = sum;
      __syncthreads();
    }
    const int64_t* const done = sums + now * kWhereThreads;
    if (i < n) counts[i] = before + done[threadIdx.x] - own;
    before += done[kWhereThreads - 1];
    __syncthreads();
  }
  if (threadIdx.x == 0) counts[n] = before;
}

struct WhereArgs {
  uint64_t x, counts, out;
  int64_t n;
  int rank;
  int64_t dims[8];
};
// Writes the coordinates, in order; a thread has neighbouring elements.
extern "C" __global__ void WriteTrue(const WhereArgs a) {
  __shared__ int sums[2 * kWhereThreads];
  const W* const x = reinterpret_cast<const W*>(a.x);
  int64_t* const out = reinterpret_cast<int64_t*>(a.out);
  const int64_t begin = int64_t{blockIdx.x} * kWhereBlock +
                        int64_t{threadIdx.x} * kWherePerThread;
  int count = 0;
  for (int k = 0; k < kWherePerThread; ++k) {
    if (begin + k < a.n && IsTrue(x, begin + k)) ++count;
  }
  int now = 0;
  sums[threadIdx.x] = count;
  __syncthreads();
  for (int distance = 1; distance < kWhereThreads; distance *= 2) {
    const int* const from = sums + now * kWhereThreads;
    int sum = from[threadIdx.x];
    if (static_cast<int>(threadIdx.x) >= distance) {
      sum += from[threadIdx.x - distance];
    }
    now = 1 - now;
    sums[now * kWhereThreads + threadIdx.x] = sum;
    __syncthreads();
  }
  int64_t row = reinterpret_cast<const int64_t*>(a.counts)[blockIdx.x] +
                sums[now * kWhereThreads + threadIdx.x] - count;
  for (int k = 0; k < kWherePerThread; ++k) {
    if (begin + k >= a.n || !IsTrue(x, begin + k)) continue;
    int64_t rest = begin + k;
#pragma unroll
    for (int d = 7; d >= 0; --d) {
      if (d >= a.rank) continue;
      out[row * a.rank + d] = rest % a.dims[d];
      rest /= a.dims[d];
    }
    ++row;
  }
}
