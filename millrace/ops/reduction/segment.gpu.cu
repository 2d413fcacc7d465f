// Reductions of segments of rows of elements of type T, by OP, a struct of
// reduce_ops.gpu.cu. ID is the type of segment ids, ROW that of indices of
// rows. Rows of a segment are joined in an order that depends on the ids alone.
//
// Texts: reduction/reduce_ops.gpu.cu
// Defines: T = float double half bfloat16 int8_t int16_t int32_t int64_t
//      uint8_t uint16_t uint32_t uint64_t complex64 complex128;
//      OP = AddOf MeanOf ProductOf; ID = int32_t; ROW = int64_t
// Defines: T = float double half bfloat16 int8_t int16_t int32_t int64_t
//      uint8_t uint16_t uint32_t uint64_t; OP = LargestOf SmallestOf;
//      ID = int64_t; ROW = int32_t

typedef OP<T> Op;
typedef Op::Acc Acc;

// Sets begins[s] to the first of `count` members of segment s or a later one,
// for s <= segments. Members are ids in ascending order.
extern "C" __global__ void BeginsOfIds(const ID* ids, int64_t count,
                                       int64_t segments, int64_t* begins) {
  for (GRID_STRIDE(s, segments + 1)) {
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (static_cast<int64_t>(ids[middle]) < s) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    begins[s] = low;
  }
}

struct SegmentArgs {
  uint64_t x, out, begins;
  uint64_t keys;      // null: members are rows in order
  uint64_t rows;      // of members, as ROW; null: the member itself
  uint64_t factors;   // of rows, as Acc; null: none
  uint64_t row_mask;  // the position in a key
  // Parts: 2^part_shift members from a multiple of that on.
  uint64_t owners;   // the segment that has all members of a part, or -1
  uint64_t partial;  // joint values of these parts, [parts, inner], as Acc
  int64_t segments, inner, limit;  // rows of x: [0, limit)
  int64_t parts;                   // 0: segments are not cut
  int empty;                       // 0: zero, 1: the op's neutral element
  int by_root;      // 1: sums are divided by the root of the size
  int width_shift;  // of threads beside each other in a row
  int part_shift;
};

// Takes one member of a segment.
MR_DEVICE Acc TakeMember(const SegmentArgs& a, Acc acc, int64_t member,
                         int64_t column) {
  int64_t row = member;
  if (a.keys != 0) {
    row = static_cast<int64_t>(
        reinterpret_cast<const uint64_t*>(a.keys)[member] & a.row_mask);
  }
  if (a.rows != 0) {
    row = static_cast<int64_t>(reinterpret_cast<const ROW*>(a.rows)[row]);
  }
  // As in TensorFlow on GPUs, a row that does not exist is passed over.
  if (row < 0 || row >= a.limit) return acc;
  const T x = reinterpret_cast<const T*>(a.x)[row * a.inner + column];
  if (a.factors == 0) return Op::Take(acc, x);
  const Acc factor = reinterpret_cast<const Acc*>(a.factors)[row];
  return Op::Merge(acc, static_cast<Acc>(x) * factor);
}
MR_DEVICE void PutSegment(const SegmentArgs& a, int64_t s, int64_t column,
                          Acc acc, int64_t count) {
  T* const out = reinterpret_cast<T*>(a.out) + s * a.inner + column;
  if (count == 0) {
    // Of integers the neutral elements are the limits, of floating types those
    // that are finite.
    if (a.empty == 0) {
      *out = T(0);
    } else {
      *out = EmptySegment<OP<T>, T>();
    }
    return;
  }
  if constexpr (kIsFloat<T>) {
    if (a.by_root) {
      *out = static_cast<T>(acc / static_cast<Acc>(sqrt(double(count))));
      return;
    }
  }
  *out = Op::Finish(acc, count);
}

// The members of a segment, and the parts [first_part, last_part) of which it
// has all members; none if `is_cut` is not.
struct Members {
  int64_t begin, end, first_part, last_part;
  bool is_cut;
};
MR_DEVICE Members MembersOf(const SegmentArgs& a, int64_t s) {
  const int64_t* const begins = reinterpret_cast<const int64_t*>(a.begins);
  const int64_t begin = begins[s], end = begins[s + 1];
  const int64_t size = int64_t{1} << a.part_shift;
  const int64_t first = (begin + size - 1) >> a.part_shift;
  const int64_t last = end >> a.part_shift;
  return Members{begin, end, first, last, a.parts > 0 && first < last};
}

// A thread for each element, for segments of few rows.
extern "C" __global__ void SegmentsOfThreads(const SegmentArgs a) {
  for (GRID_STRIDE(at, a.segments * a.inner)) {
    const int64_t s = at / a.inner, column = at - s * a.inner;
    const Members members = MembersOf(a, s);
    if (members.is_cut) continue;  // SegmentsOfParts
    Acc acc = Op::Identity();
    for (int64_t m = members.begin; m < members.end; ++m) {
      acc = TakeMember(a, acc, m, column);
    }
    PutSegment(a, s, column, acc, members.end - members.begin);
  }
}

// How a block's threads share rows: `width` threads are beside each other in a
// row, and the lines of threads take different rows.
struct Lines {
  int width, count, across, own;

  MR_DEVICE explicit Lines(int width_shift)
      : width(1 << width_shift),
        count(256 >> width_shift),
        across(threadIdx.x & (width - 1)),
        own(threadIdx.x >> width_shift) {}
};
// Returns the joint value of the lines in each thread of line 0. All threads
// call it.
MR_DEVICE Acc MergeLines(const Lines& lines, Acc acc) {
  alignas(16) __shared__ unsigned char bytes[256 * sizeof(Acc)];
  Acc* const accs = reinterpret_cast<Acc*>(bytes);
  accs[threadIdx.x] = acc;
  __syncthreads();
  for (int half = lines.count / 2; half > 0; half /= 2) {
    if (lines.own < half) {
      accs[threadIdx.x] =
          Op::Merge(accs[threadIdx.x], accs[threadIdx.x + half * lines.width]);
    }
    __syncthreads();
  }
  acc = accs[lines.across];
  __syncthreads();
  return acc;
}
// The joint value of a line's members of [begin, end), on top of `acc`.
MR_DEVICE Acc TakeLine(const SegmentArgs& a, const Lines& lines, Acc acc,
                       int64_t begin, int64_t end, int64_t column) {
  for (int64_t m = begin + lines.own; m < end; m += lines.count) {
    acc = TakeMember(a, acc, m, column);
  }
  return acc;
}
// Reduces some columns of a segment: the parts of which it has all members, and
// the members in front of these and behind them.
MR_DEVICE void ReduceByBlock(const SegmentArgs& a, const Lines& lines,
                             int64_t s, int64_t tile) {
  const int64_t column = tile * lines.width + lines.across;
  const Members members = MembersOf(a, s);
  Acc acc = Op::Identity();
  if (column < a.inner && !members.is_cut) {
    acc = TakeLine(a, lines, acc, members.begin, members.end, column);
  } else if (column < a.inner) {
    const Acc* const partial = reinterpret_cast<const Acc*>(a.partial);
    acc = TakeLine(a, lines, acc, members.begin,
                   members.first_part << a.part_shift, column);
    for (int64_t p = members.first_part + lines.own; p < members.last_part;
         p += lines.count) {
      acc = Op::Merge(acc, partial[p * a.inner + column]);
    }
    acc = TakeLine(a, lines, acc, members.last_part << a.part_shift,
                   members.end, column);
  }
  acc = MergeLines(lines, acc);
  if (lines.own == 0 && column < a.inner) {
    PutSegment(a, s, column, acc, members.end - members.begin);
  }
}

// A block for some columns of a segment.
extern "C" __global__ void SegmentsOfBlocks(const SegmentArgs a) {
  const Lines lines(a.width_shift);
  const int64_t tiles = (a.inner + lines.width - 1) >> a.width_shift;
  for (int64_t item = blockIdx.x; item < a.segments * tiles;
       item += gridDim.x) {
    const int64_t s = item / tiles;
    ReduceByBlock(a, lines, s, item - s * tiles);
  }
}

// Finds the owners of parts.
extern "C" __global__ void OwnersOfParts(const SegmentArgs a) {
  const int64_t* const begins = reinterpret_cast<const int64_t*>(a.begins);
  for (GRID_STRIDE(p, a.parts)) {
    const int64_t begin = p << a.part_shift;
    // The segments that begin there or before.
    int64_t low = 0, high = a.segments + 1;
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (begins[middle] <= begin) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const int64_t s = low - 1;
    const bool has_all =
        s >= 0 && s < a.segments && begins[s + 1] >= (p + 1) << a.part_shift;
    reinterpret_cast<int64_t*>(a.owners)[p] = has_all ? s : -1;
  }
}
// Joins the members of parts that have an owner: a block for some columns.
extern "C" __global__ void JoinParts(const SegmentArgs a) {
  const Lines lines(a.width_shift);
  const int64_t* const owners = reinterpret_cast<const int64_t*>(a.owners);
  const int64_t tiles = (a.inner + lines.width - 1) >> a.width_shift;
  for (int64_t item = blockIdx.x; item < a.parts * tiles; item += gridDim.x) {
    const int64_t p = item / tiles;
    if (owners[p] < 0) continue;
    const int64_t column = (item - p * tiles) * lines.width + lines.across;
    Acc acc = Op::Identity();
    if (column < a.inner) {
      acc = TakeLine(a, lines, acc, p << a.part_shift, (p + 1) << a.part_shift,
                     column);
    }
    acc = MergeLines(lines, acc);
    if (lines.own == 0 && column < a.inner) {
      reinterpret_cast<Acc*>(a.partial)[p * a.inner + column] = acc;
    }
  }
}
// The segments that SegmentsOfThreads leaves out, each by the block of its
// first part.
extern "C" __global__ void SegmentsOfParts(const SegmentArgs a) {
  const Lines lines(a.width_shift);
  const int64_t* const owners = reinterpret_cast<const int64_t*>(a.owners);
  const int64_t tiles = (a.inner + lines.width - 1) >> a.width_shift;
  for (int64_t item = blockIdx.x; item < a.parts * tiles; item += gridDim.x) {
    const int64_t p = item / tiles, s = owners[p];
    if (s < 0 || (p > 0 && owners[p - 1] == s)) continue;
    ReduceByBlock(a, lines, s, item - p * tiles);
  }
}

// The factors of rows of a gradient: 1 by the size of the row's segment (kind
// 0) or by its root. Sizes are those of begins.
extern "C" __global__ void RowFactors(const int64_t* begins, int64_t segments,
                                      int kind, Acc* factors) {
  if constexpr (kIsFloat<T>) {
    for (GRID_STRIDE(s, segments)) {
      const int64_t size = MaxOf(begins[s + 1] - begins[s], int64_t(1));
      factors[s] = static_cast<Acc>(kind == 0 ? 1.0 / double(size)
                                              : 1.0 / sqrt(double(size)));
    }
  }
}
