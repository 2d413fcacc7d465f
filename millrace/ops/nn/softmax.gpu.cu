// Softmax and losses of rows. T is the type of elements, C that in which they
// are computed. A row is read twice: for its largest element and the sum of
// exponentials, and for the result; the second time it comes from the cache.
// Defines: T = float double half bfloat16

typedef Compute<T> C;

// The largest element seen and the sum of exp(x - largest).
struct RowSum {
  C largest, sum;
};
struct RowSumOp {
  template <class X>
  MR_DEVICE static X Identity() {
    return X{MinusInfinity<C>(), C(0)};
  }
  MR_DEVICE RowSum operator()(RowSum a, RowSum b) const {
    if (!(a.largest > b.largest)) {
      const RowSum larger = b;
      b = a;
      a = larger;
    }
    // Elements of -infinity add nothing. No number is larger than one that is
    // none, and its sum is none.
    if (b.largest == MinusInfinity<C>() && !IsNan(b.sum)) return a;
    a.sum += b.sum * exp(b.largest - a.largest);
    return a;
  }
};
MR_DEVICE void Add(C x, RowSum& s) {
  if (x > s.largest) {
    s.sum = s.sum * exp(s.largest - x) + exp(x - x);
    s.largest = x;
  } else if (x != MinusInfinity<C>()) {
    s.sum += exp(x - s.largest);
  }
}

// The threads that work on a row: a warp or a block.
struct Warp {
  MR_DEVICE static int64_t First() {
    return int64_t{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  }
  MR_DEVICE static int64_t Step() {
    return int64_t{gridDim.x} * (blockDim.x / 32);
  }
  MR_DEVICE static int Lane() { return threadIdx.x % 32; }
  MR_DEVICE static int Size() { return 32; }
  template <class Op, class X>
  MR_DEVICE static X Reduce(X x) {
    return WarpReduce<Op>(x);
  }
};
struct Block {
  MR_DEVICE static int64_t First() { return blockIdx.x; }
  MR_DEVICE static int64_t Step() { return gridDim.x; }
  MR_DEVICE static int Lane() { return threadIdx.x; }
  MR_DEVICE static int Size() { return blockDim.x; }
  template <class Op, class X>
  MR_DEVICE static X Reduce(X x) {
    return BlockReduce<Op>(x);
  }
};

// Returns the sum of a row whose elements are `step` apart.
template <class Group>
MR_DEVICE RowSum SumOf(const T* x, int64_t step, int64_t n) {
  RowSum s{MinusInfinity<C>(), C(0)};
#pragma unroll 4
  for (int64_t i = Group::Lane(); i < n; i += Group::Size()) {
    Add(static_cast<C>(x[i * step]), s);
  }
  s = Group::template Reduce<RowSumOp>(s);
  // Of elements that are all -infinity, differences are no numbers.
  if (s.largest == MinusInfinity<C>()) s.sum = QuietNan<C>();
  return s;
}

template <class Group, bool kLog>
MR_DEVICE void SoftmaxRows(const T* x, T* z, int64_t rows, int64_t n) {
  for (int64_t row = Group::First(); row < rows; row += Group::Step()) {
    const T* const from = x + row * n;
    T* const to = z + row * n;
    const RowSum s = SumOf<Group>(from, 1, n);
    const C log_sum = log(s.sum), factor = C(1) / s.sum;
#pragma unroll 4
    for (int64_t i = Group::Lane(); i < n; i += Group::Size()) {
      const C shifted = static_cast<C>(from[i]) - s.largest;
      to[i] = static_cast<T>(kLog ? shifted - log_sum : exp(shifted) * factor);
    }
  }
}

// Sets loss = sum(labels * (log(sum) - shifted)) and backprop = softmax -
// labels. Operands have steps of rows and of columns, 0 where they are
// broadcast.
template <class Group>
MR_DEVICE void CrossEntropyRows(const T* x, const T* labels, T* loss,
                                T* backprop, int64_t rows, int64_t n,
                                int64_t x_row, int64_t x_step,
                                int64_t labels_row, int64_t labels_step) {
  for (int64_t row = Group::First(); row < rows; row += Group::Step()) {
    const T* const from = x + row * x_row;
    const T* const wanted = labels + row * labels_row;
    const RowSum s = SumOf<Group>(from, x_step, n);
    const C log_sum = log(s.sum), factor = C(1) / s.sum;
    C part = 0;
    for (int64_t i = Group::Lane(); i < n; i += Group::Size()) {
      const C shifted = static_cast<C>(from[i * x_step]) - s.largest;
      const C label = static_cast<C>(wanted[i * labels_step]);
      // A label of 0 adds nothing, even if the logit is -infinity.
      if (label != C(0)) part += label * (log_sum - shifted);
      backprop[row * n + i] = static_cast<T>(exp(shifted) * factor - label);
    }
    part = Group::template Reduce<SumOp>(part);
    if (Group::Lane() == 0) loss[row] = static_cast<T>(part);
  }
}

// Does the same for one class in each row. As in TensorFlow on GPUs, a class
// that does not exist gives NaN.
template <class Group, class L>
MR_DEVICE void SparseCrossEntropyRows(const T* x, const L* labels, T* loss,
                                      T* backprop, int64_t rows, int64_t n) {
  for (int64_t row = Group::First(); row < rows; row += Group::Step()) {
    const T* const from = x + row * n;
    const RowSum s = SumOf<Group>(from, 1, n);
    const C factor = C(1) / s.sum;
    const int64_t label = static_cast<int64_t>(labels[row]);
    const bool exists = label >= 0 && label < n;
    for (int64_t i = Group::Lane(); i < n; i += Group::Size()) {
      const C p = exp(static_cast<C>(from[i]) - s.largest) * factor;
      backprop[row * n + i] = static_cast<T>(
          exists ? p - (i == label ? C(1) : C(0)) : QuietNan<C>());
    }
    if (Group::Lane() == 0) {
      loss[row] = static_cast<T>(
          exists ? log(s.sum) - (static_cast<C>(from[label]) - s.largest)
                 : QuietNan<C>());
    }
  }
}

#define ROWS_OF(GROUP)                                                         \
  extern "C" __global__ void Softmax##GROUP(const T* x, T* z, int64_t rows,    \
                                            int64_t n) {                       \
    SoftmaxRows<GROUP, false>(x, z, rows, n);                                  \
  }                                                                            \
  extern "C" __global__ void LogSoftmax##GROUP(const T* x, T* z, int64_t rows, \
                                               int64_t n) {                    \
    SoftmaxRows<GROUP, true>(x, z, rows, n);                                   \
  }                                                                            \
  extern "C" __global__ void CrossEntropy##GROUP(                              \
      const T* x, const T* labels, T* loss, T* backprop, int64_t rows,         \
      int64_t n, int64_t x_row, int64_t x_step, int64_t labels_row,            \
      int64_t labels_step) {                                                   \
    CrossEntropyRows<GROUP>(x, labels, loss, backprop, rows, n, x_row, x_step, \
                            labels_row, labels_step);                          \
  }                                                                            \
  extern "C" __global__ void SparseCrossEntropy32##GROUP(                      \
      const T* x, const int32_t* labels, T* loss, T* backprop, int64_t rows,   \
      int64_t n) {                                                             \
    SparseCrossEntropyRows<GROUP>(x, labels, loss, backprop, rows, n);         \
  }                                                                            \
  extern "C" __global__ void SparseCrossEntropy64##GROUP(                      \
      const T* x, const int64_t* labels, T* loss, T* backprop, int64_t rows,   \
      int64_t n) {                                                             \
    SparseCrossEntropyRows<GROUP>(x, labels, loss, backprop, rows, n);         \
  }
ROWS_OF(Warp)
ROWS_OF(Block)
