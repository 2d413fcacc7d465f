// Fills the rows of sparse tensors that have no entries, and the gradient of
// that. T is a type of an element's size, whose zero has the bits of all types'
// zeros.
//
// Defines: T = uint8_t uint16_t uint32_t uint64_t complex128

constexpr int64_t kNoEntry = 0x7fffffffffffffff;

// What the host reads.
struct FillState {
  int64_t bad_entry;  // the first of a row that is not there, or kNoEntry
  int64_t bad_value;  // its row
  int64_t empty;      // rows
  int64_t unordered;  // an entry is in a row before that of the last one
};

extern "C" __global__ void StartFill(FillState* state) {
  if (threadIdx.x == 0) *state = FillState{kNoEntry, 0, 0, 0};
}

// Sets at[i] to the row of entry i.
extern "C" __global__ void __launch_bounds__(256)
    ReadRows(const int64_t* coordinates, int64_t* at, FillState* state,
             int64_t count, int64_t rank, int64_t rows) {
  for (GRID_STRIDE(i, count)) {
    const int64_t row = coordinates[i * rank];
    at[i] = row;
    if (row < 0 || row >= rows) AtomicMin(&state->bad_entry, i);
    if (i > 0 && coordinates[(i - 1) * rank] > row) state->unordered = 1;
  }
}

// Returns the first place of n numbers, in order, that is not below `wanted`.
MR_DEVICE int64_t FirstFrom(const int64_t* numbers, int64_t n, int64_t wanted) {
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (numbers[middle] < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// `begins` has for each row the number of entries before its own, and last that
// of all.
extern "C" __global__ void __launch_bounds__(256)
    MarkEmpty(const int64_t* begins, bool* empty, int64_t rows) {
  for (GRID_STRIDE(r, rows)) empty[r] = begins[r] == begins[r + 1];
}

// `total` is the number of empty rows, `numbers` has `step` for each entry.
extern "C" __global__ void FinishFill(FillState* state, const int64_t* total,
                                      const int64_t* numbers, int64_t step) {
  if (threadIdx.x != 0) return;
  if (total != nullptr) state->empty = *total;
  if (state->bad_entry != kNoEntry) {
    state->bad_value = numbers[state->bad_entry * step];
  }
}

extern "C" __global__ void __launch_bounds__(256)
    CountUp(int64_t* numbers, int64_t n) {
  for (GRID_STRIDE(i, n)) numbers[i] = i;
}

// `keys` are those of entries, sorted: their rows, shifted left, and below them
// their numbers. Entries are placed in this order, with room for one in each
// empty row.
extern "C" __global__ void __launch_bounds__(256)
    PlaceEntries(const uint64_t* keys, const int64_t* empties,
                 const int64_t* coordinates, const T* values, int64_t* map,
                 int64_t* out_coordinates, T* out_values, int64_t count,
                 int64_t empty, int shift, int64_t rank) {
  for (GRID_STRIDE(p, count)) {
    const uint64_t key = keys[p], row = key >> shift;
    const int64_t i = static_cast<int64_t>(key - (row << shift));
    const int64_t place =
        p + FirstFrom(empties, empty, static_cast<int64_t>(row));
    map[i] = place;
    out_values[place] = values[i];
    for (int64_t d = 0; d < rank; ++d) {
      out_coordinates[place * rank + d] = coordinates[i * rank + d];
    }
  }
}
extern "C" __global__ void __launch_bounds__(256)
    PlaceFillers(const int64_t* begins, const int64_t* empties, const T* filler,
                 int64_t* out_coordinates, T* out_values, int64_t empty,
                 int64_t rank) {
  for (GRID_STRIDE(k, empty)) {
    const int64_t row = empties[k], place = k + begins[row];
    out_values[place] = *filler;
    for (int64_t d = 0; d < rank; ++d) {
      out_coordinates[place * rank + d] = d == 0 ? row : 0;
    }
  }
}

// Takes the gradients of entries, and leaves those of fillers in `rest`, which
// is a copy of `dy`.
extern "C" __global__ void __launch_bounds__(256)
    TakeGradients(const int64_t* map, const T* dy, T* out, T* rest,
                  FillState* state, int64_t count, int64_t total) {
  for (GRID_STRIDE(i, count)) {
    const int64_t place = map[i];
    if (place < 0 || place >= total) {
      AtomicMin(&state->bad_entry, i);
      continue;
    }
    out[i] = dy[place];
    rest[place] = T(0);
  }
}
