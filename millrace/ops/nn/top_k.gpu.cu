// The largest elements of rows of type T: runs of each row are sorted, and
// merged by twos; of a run only the first k are kept.
//
// Defines: T = float double half bfloat16 int8_t int64_t uint32_t; I = int32_t
// Defines: T = float; I = int16_t int64_t

// A key has the order of the elements: -0 equals 0, and what is no number is
// above all. An element is larger if its key is or, of equal ones, if its place
// is lower.
typedef ChooseType<(sizeof(T) > 4), uint64_t, uint32_t>::type Key;
struct Element {
  Key key;
  uint32_t place;
};
struct IsLarger {
  MR_DEVICE bool operator()(const Element& a, const Element& b) const {
    return a.key > b.key || (a.key == b.key && a.place < b.place);
  }
};
MR_DEVICE Element Least() { return Element{0, 0xffffffffu}; }

template <class X>
MR_DEVICE Key KeyOf(X x) {
  constexpr int kTop = static_cast<int>(sizeof(Key)) * 8 - 1;
  constexpr Key kSign = Key(1) << kTop;
  if constexpr (kIsFloat<X>) {
    typedef typename ChooseType<(sizeof(T) > 4), double, float>::type F;
    const F value = static_cast<F>(x) + F(0);  // 0 for -0
    const Key bits = BitCast<Key>(value);
    const Key key = bits ^ ((Key(0) - (bits >> kTop)) | kSign);
    return value == value ? key : ~Key(0);
  } else if constexpr (X(-1) < X(0)) {
    typedef typename ChooseType<(sizeof(T) > 4), int64_t, int32_t>::type S;
    return static_cast<Key>(static_cast<S>(x)) ^ kSign;
  } else {
    return static_cast<Key>(x);
  }
}

// The elements that a block sorts in its shared memory.
constexpr int kMostRun = 2048;

struct RunArgs {
  uint64_t x;         // rows of T, or null: of elements, which are in `from`
  uint64_t from, to;  // rows of elements
  int64_t rows, n;    // elements in a row of the source
  int run;            // a power of two
  int64_t runs;       // of a row
  int64_t kept;       // of each run
};
// Sorts runs of each row; the largest come first.
extern "C" __global__ void SortRuns(const RunArgs a) {
  alignas(16) __shared__ unsigned char bytes[kMostRun * sizeof(Element)];
  Element* const elements = reinterpret_cast<Element*>(bytes);
  Element* const to = reinterpret_cast<Element*>(a.to);
  for (int64_t item = blockIdx.x; item < a.rows * a.runs; item += gridDim.x) {
    const int64_t row = item / a.runs, run = item - row * a.runs;
    const int64_t base = run * a.run;
    for (int i = threadIdx.x; i < a.run; i += blockDim.x) {
      Element e = Least();
      if (base + i < a.n) {
        const int64_t at = row * a.n + base + i;
        e = a.x != 0 ? Element{KeyOf(reinterpret_cast<const T*>(a.x)[at]),
                               static_cast<uint32_t>(base + i)}
                     : reinterpret_cast<const Element*>(a.from)[at];
      }
      elements[i] = e;
    }
    SortInBlock(elements, a.run, IsLarger());
    for (int64_t i = threadIdx.x; i < a.kept; i += blockDim.x) {
      to[item * a.kept + i] = elements[i];
    }
    __syncthreads();
  }
}

struct MergeArgs {
  uint64_t from, to;
  int64_t rows, runs, size;  // of the source: runs of a row, elements of each
  int64_t merged, kept;      // of the result
};
// Merges runs 2 i and 2 i + 1: each element looks for its place among those of
// the other run.
extern "C" __global__ void MergeRuns(const MergeArgs a) {
  const Element* const from = reinterpret_cast<const Element*>(a.from);
  Element* const to = reinterpret_cast<Element*>(a.to);
  const int64_t per_row = a.runs * a.size;
  for (GRID_STRIDE(at, a.rows * per_row)) {
    const int64_t row = at / per_row;
    const int64_t in_row = at - row * per_row;
    const int64_t run = in_row / a.size, own = in_row - run * a.size;
    const int64_t other = run ^ 1;
    const Element e = from[at];
    int64_t low = 0, high = other < a.runs ? a.size : 0;
    const Element* const others = from + row * per_row + other * a.size;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      // Those that fill up runs are equal, and keep the order of the runs.
      const bool before = run > other ? !IsLarger()(e, others[middle])
                                      : IsLarger()(others[middle], e);
      if (before) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const int64_t place = own + low;
    if (place < a.kept) {
      to[(row * a.merged + run / 2) * a.kept + place] = e;
    }
    // A last run that has no other one does not fill its place.
    if (other >= a.runs && own + a.size < a.kept) {
      to[(row * a.merged + run / 2) * a.kept + own + a.size] = Least();
    }
  }
}

// Makes the key of each of `n` elements one that orders them by place.
extern "C" __global__ void KeyByPlace(void* elements, int64_t n) {
  Element* const e = reinterpret_cast<Element*>(elements);
  for (GRID_STRIDE(i, n)) e[i].key = ~Key(e[i].place);
}

// Writes the first k of `size` elements of each row.
extern "C" __global__ void WriteTopK(const void* elements, const T* x,
                                     T* values, I* places, int64_t rows,
                                     int64_t n, int64_t size, int64_t k) {
  const Element* const from = reinterpret_cast<const Element*>(elements);
  for (GRID_STRIDE(at, rows * k)) {
    const int64_t row = at / k;
    const uint32_t place = from[row * size + (at - row * k)].place;
    values[at] = x[row * n + place];
    places[at] = static_cast<I>(place);
  }
}
