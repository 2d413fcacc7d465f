// Sorts the entries of a sparse tensor in row-major order; equal ones keep
// their order. V is a type of the size of values.
// Defines: V = uint8_t uint16_t uint32_t uint64_t complex128

// Whether entry a stands before entry b; those below 0 stand last.
struct IsBefore {
  const int64_t* indices;
  int64_t rank;

  MR_DEVICE bool operator()(int64_t a, int64_t b) const {
    if (a < 0 || b < 0) return a >= 0 && b < 0;
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t x = indices[a * rank + d], y = indices[b * rank + d];
      if (x != y) return x < y;
    }
    return a < b;
  }
};

constexpr int kMostEntriesOfRun = 1024;

// Sorts each run of `run` entries, a power of two. A block sorts one run.
extern "C" __global__ void SortEntries(const int64_t* indices, int64_t count,
                                       int64_t rank, int run, int64_t* order) {
  __shared__ int64_t entries[kMostEntriesOfRun];
  const int64_t base = int64_t{blockIdx.x} * run;
  for (int i = threadIdx.x; i < run; i += blockDim.x) {
    entries[i] = base + i < count ? base + i : -1;
  }
  SortInBlock(entries, run, IsBefore{indices, rank});
  for (int i = threadIdx.x; i < run && base + i < count; i += blockDim.x) {
    order[base + i] = entries[i];
  }
}

// Merges pairs of sorted runs of `run` entries.
extern "C" __global__ void MergeEntries(const int64_t* indices, int64_t count,
                                        int64_t rank, int64_t run,
                                        const int64_t* from, int64_t* to) {
  const IsBefore before{indices, rank};
  for (GRID_STRIDE(i, count)) {
    to[PlaceInMerge(from, i, count, run, before)] = from[i];
  }
}

// Copies coordinates, and values, in this order.
extern "C" __global__ void GatherEntries(const int64_t* order, int64_t count,
                                         int64_t rank, const int64_t* indices,
                                         const V* values, int64_t* out_indices,
                                         V* out_values) {
  for (GRID_STRIDE(at, count * rank)) {
    const int64_t i = at / rank;
    out_indices[at] = indices[order[i] * rank + at - i * rank];
  }
  for (GRID_STRIDE(i, count)) out_values[i] = values[order[i]];
}
