// Triangular factors of batches of square matrices, row by row, and what is
// computed by them. Small matrices are factored by a block each; others column
// by column, where the rest of all matrices is updated by the whole device.
//
// Products that are subtracted are rounded: of matrices of small whole numbers
// without an inverse, what is left has to be 0, as on CPUs.
//
// Defines: T = float double complex64 complex128; TILE = 32

template <class X>
struct RealOf {
  typedef X type;
};
template <class F>
struct RealOf<complex<F>> {
  typedef F type;
};
typedef RealOf<T>::type R;

MR_DEVICE float SizeOf(float x) { return fabsf(x); }
MR_DEVICE double SizeOf(double x) { return fabs(x); }
template <class F>
MR_DEVICE F SizeOf(complex<F> x) {
  return Abs(x);
}
MR_DEVICE float RealPart(float x) { return x; }
MR_DEVICE double RealPart(double x) { return x; }
template <class F>
MR_DEVICE F RealPart(complex<F> x) {
  return x.re;
}
MR_DEVICE float OverReal(float x, float divisor) { return x / divisor; }
MR_DEVICE double OverReal(double x, double divisor) { return x / divisor; }
template <class F>
MR_DEVICE complex<F> OverReal(complex<F> x, F divisor) {
  return complex<F>(x.re / divisor, x.im / divisor);
}

// w[i] = x[i], or its adjoint.
extern "C" __global__ void __launch_bounds__(256)
    CopyMatrices(const T* x, T* w, int64_t count, int64_t n, bool adjoint) {
  for (GRID_STRIDE(at, count * n * n)) {
    const int64_t row = at / n, c = at - row * n, matrix = row / n;
    const int64_t r = row - matrix * n;
    w[at] = adjoint ? Conj(x[(matrix * n + c) * n + r]) : x[at];
  }
}

// ---- P A = L U.

struct LuState {
  int32_t odd;       // the permutation is odd
  int32_t singular;  // a pivot is 0
};

extern "C" __global__ void __launch_bounds__(256)
    StartLu(int32_t* order, LuState* states, int64_t count, int64_t n) {
  for (GRID_STRIDE(i, count * n)) order[i] = static_cast<int32_t>(i % n);
  for (GRID_STRIDE(m, count)) states[m] = LuState{0, 0};
}

struct Pivot {
  R size;
  int64_t row;
};
// The larger one, and of equal ones the first.
struct PivotOp {
  template <class X>
  MR_DEVICE static X Identity() {
    return X{R(-1), MaxOf<int64_t>()};
  }
  MR_DEVICE Pivot operator()(Pivot a, Pivot b) const {
    return b.size > a.size || (b.size == a.size && b.row < a.row) ? b : a;
  }
};

// Makes column k of L and row k of U, by a block. Returns whether there is
// something to subtract from the rest.
MR_DEVICE bool MakeLuColumn(T* a, int32_t* order, LuState* state, int64_t n,
                            int64_t k) {
  const R own = SizeOf(a[k * n + k]);
  Pivot pivot = PivotOp::Identity<Pivot>();
  for (int64_t i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
    const R size = SizeOf(a[i * n + k]);
    if (size > pivot.size) pivot = Pivot{size, i};
  }
  pivot = BlockReduce<PivotOp>(pivot);
  // NaN in its place stays there, as on CPUs.
  if (!(pivot.size > own)) pivot = Pivot{own, k};
  if (pivot.size == 0) {
    if (threadIdx.x == 0) state->singular = 1;
    return false;
  }
  __syncthreads();  // all have read a[k, k]
  if (pivot.row != k) {
    for (int64_t j = threadIdx.x; j < n; j += blockDim.x) {
      const T other = a[pivot.row * n + j];
      a[pivot.row * n + j] = a[k * n + j];
      a[k * n + j] = other;
    }
    if (threadIdx.x == 0) {
      const int32_t other = order[pivot.row];
      order[pivot.row] = order[k];
      order[k] = other;
      state->odd ^= 1;
    }
    __syncthreads();
  }
  const T diagonal = a[k * n + k];
  for (int64_t i = k + 1 + threadIdx.x; i < n; i += blockDim.x) {
    a[i * n + k] = a[i * n + k] / diagonal;
  }
  return true;
}

// Subtracts the product of column k and row k from elements [row, row_end) x
// [column, column_end), by a block of whole warps.
MR_DEVICE void SubtractOuter(T* a, int64_t n, int64_t k, int64_t row,
                             int64_t row_end, int64_t column,
                             int64_t column_end) {
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int64_t i = row + threadIdx.x / 32; i < row_end; i += warps) {
    const T factor = a[i * n + k];
#pragma unroll 1
    for (int64_t j = column + lane; j < column_end; j += 32) {
      a[i * n + j] = a[i * n + j] - RoundedProduct(factor, a[k * n + j]);
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
    FactorLu(T* matrices, int32_t* orders, LuState* states, int64_t count,
             int64_t n) {
  for (int64_t m = blockIdx.x; m < count; m += gridDim.x) {
    T* const a = matrices + m * n * n;
    for (int64_t k = 0; k < n; ++k) {
      const bool any = MakeLuColumn(a, orders + m * n, states + m, n, k);
      __syncthreads();
      if (any) SubtractOuter(a, n, k, k + 1, n, k + 1, n);
      __syncthreads();
    }
  }
}

// A block for each matrix.
extern "C" __global__ void __launch_bounds__(256)
    MakeLuColumns(T* matrices, int32_t* orders, LuState* states, int64_t count,
                  int64_t n, int64_t k) {
  for (int64_t m = blockIdx.x; m < count; m += gridDim.x) {
    MakeLuColumn(matrices + m * n * n, orders + m * n, states + m, n, k);
    __syncthreads();
  }
}

// A block for each tile of the rest of each matrix, of TILE rows and columns,
// of which there are less than 2^31 in the memory of any device. Where the
// pivot is 0, the column below is, too: then nothing is to be subtracted.
extern "C" __global__ void __launch_bounds__(256)
    SubtractFromRest(T* matrices, int blocks, int64_t n, int64_t k) {
  const int tiles = static_cast<int>((n - k - 1 + TILE - 1) / TILE);
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    const int line = block / tiles, m = line / tiles;
    T* const a = matrices + m * n * n;
    if (SizeOf(a[k * n + k]) == 0) continue;
    const int64_t row = k + 1 + (line - m * tiles) * TILE;
    const int64_t column = k + 1 + (block - line * tiles) * TILE;
    SubtractOuter(a, n, k, row, MinOf(row + TILE, n), column,
                  MinOf(column + TILE, n));
  }
}

// Sets *wrong for a matrix that is taken as one without an inverse.
extern "C" __global__ void __launch_bounds__(256)
    FindSingular(const T* matrices, const LuState* states, int32_t* wrong,
                 int64_t count, int64_t n) {
  for (GRID_STRIDE(m, count)) {
    if (states[m].singular != 0 || !(SizeOf(matrices[m * n * n]) > 0)) {
      atomicOr(reinterpret_cast<unsigned*>(wrong), 1u);
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
    WidenOrder(const int32_t* order, int64_t* wide, int64_t n) {
  for (GRID_STRIDE(i, n)) wide[i] = order[i];
}

// The right sides that factors are solved for: rows of `b` in the order of the
// factors, or of the identity if `b` is null. [count, n, columns]
extern "C" __global__ void __launch_bounds__(256)
    OrderRows(const T* b, const int32_t* orders, T* x, int64_t count, int64_t n,
              int64_t columns) {
  for (GRID_STRIDE(at, count * n * columns)) {
    const int64_t row = at / columns, j = at - row * columns, m = row / n;
    const int64_t from = orders[row];
    x[at] = b != nullptr ? b[(m * n + from) * columns + j]
                         : T(R(from == j ? 1 : 0));
  }
}

// Signs (or phases) of determinants and the logarithms of their sizes, or their
// product if `logs` is null.
extern "C" __global__ void __launch_bounds__(256)
    Determinants(const T* matrices, const LuState* states, T* signs, T* logs,
                 int64_t count, int64_t n) {
  for (GRID_STRIDE(m, count)) {
    T sign = T(R(states[m].odd != 0 ? -1 : 1));
    R log_size = 0;
    for (int64_t i = 0; i < n; ++i) {
      const T d = matrices[m * n * n + i * (n + 1)];
      const R size = SizeOf(d);
      sign = sign * OverReal(d, size);
      log_size += log(size);
    }
    if (!IsFinite(log_size)) {
      sign = T(R(0));
      log_size = log_size > 0 ? Infinity<R>() : MinusInfinity<R>();
    }
    signs[m] = logs == nullptr ? sign * T(R(exp(log_size))) : sign;
    if (logs != nullptr) logs[m] = T(log_size);
  }
}

// ---- Triangles.

// Solves for right sides [count, n, columns] in place. Triangles and right
// sides are those of `places`, if it is not null: the numbers of the triangles.
// A block has `width` columns, a power of 2 up to 32, of a matrix.
extern "C" __global__ void __launch_bounds__(256)
    SolveTriangles(const T* triangles, const int64_t* places, T* sides,
                   int64_t blocks, int64_t n, int64_t columns, int width,
                   bool lower, bool ones, bool adjoint) {
  const int64_t chunks = (columns + width - 1) / width;
  const int lane = threadIdx.x % width, first = threadIdx.x / width;
  const int rows = blockDim.x / width;
  for (int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    const int64_t m = block / chunks;
    const int64_t j = (block - m * chunks) * width + lane;
    const T* const t = triangles + (places == nullptr ? m : places[m]) * n * n;
    T* const x = sides + m * n * columns;
    const auto at = [&](int64_t r, int64_t c) {
      return adjoint ? Conj(t[c * n + r]) : t[r * n + c];
    };
    for (int64_t step = 0; step < n; ++step) {
      const int64_t i = lower ? step : n - 1 - step;
      if (!ones) {
        if (first == 0 && j < columns) {
          x[i * columns + j] = x[i * columns + j] / at(i, i);
        }
        __syncthreads();
      }
      if (j < columns) {
        const T value = x[i * columns + j];
        const int64_t end = lower ? n : i;
        for (int64_t r = (lower ? i + 1 : 0) + first; r < end; r += rows) {
          x[r * columns + j] = x[r * columns + j] - at(r, i) * value;
        }
      }
      __syncthreads();
    }
  }
}

// The matrices of `places` one after the other: [count, size]. All in their
// order, if it is null.
extern "C" __global__ void __launch_bounds__(256)
    TakePlaces(const T* from, const int64_t* places, T* to, int64_t count,
               int64_t size) {
  for (GRID_STRIDE(at, count * size)) {
    const int64_t m = at / size;
    const int64_t place = places == nullptr ? m : places[m];
    to[at] = from[place * size + at - m * size];
  }
}

// ---- A = L L^H, of the lower half.

// Makes column j, by a block, and its conjugate in `column`. A matrix that is
// not positive definite sets *failed, and is left.
MR_DEVICE bool MakeCholeskyColumn(T* a, T* column, int32_t* failed, int64_t n,
                                  int64_t j) {
  if (*failed != 0) return false;
  const R diagonal = RealPart(a[j * n + j]);
  __syncthreads();  // all have read them
  if (diagonal <= 0) {
    if (threadIdx.x == 0) *failed = 1;
    return false;
  }
  const R root = sqrt(diagonal);
  if (threadIdx.x == 0) a[j * n + j] = T(root);
#pragma unroll 1
  for (int64_t i = j + 1 + threadIdx.x; i < n; i += blockDim.x) {
    const T v = OverReal(a[i * n + j], root);
    a[i * n + j] = v;
    column[i] = Conj(v);
  }
  return true;
}

MR_DEVICE void SubtractSquare(T* a, const T* column, int64_t n, int64_t j,
                              int64_t row, int64_t row_end, int64_t first,
                              int64_t end) {
  const int lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int64_t i = row + threadIdx.x / 32; i < row_end; i += warps) {
    const T factor = a[i * n + j];
#pragma unroll 1
    for (int64_t c = first + lane; c < end && c <= i; c += 32) {
      a[i * n + c] = a[i * n + c] - RoundedProduct(factor, column[c]);
    }
  }
}

// `columns` has room for a row of each matrix, and `failed` is 0 for each.
extern "C" __global__ void __launch_bounds__(256)
    FactorCholesky(T* matrices, T* columns, int32_t* failed, int64_t count,
                   int64_t n) {
  for (int64_t m = blockIdx.x; m < count; m += gridDim.x) {
    T* const a = matrices + m * n * n;
    for (int64_t j = 0; j < n; ++j) {
      const bool any = MakeCholeskyColumn(a, columns + m * n, failed + m, n, j);
      __syncthreads();
      if (!any) break;
      SubtractSquare(a, columns + m * n, n, j, j + 1, n, j + 1, n);
      __syncthreads();
    }
  }
}

extern "C" __global__ void __launch_bounds__(256)
    MakeCholeskyColumns(T* matrices, T* columns, int32_t* failed, int64_t count,
                        int64_t n, int64_t j) {
  for (int64_t m = blockIdx.x; m < count; m += gridDim.x) {
    MakeCholeskyColumn(matrices + m * n * n, columns + m * n, failed + m, n, j);
    __syncthreads();
  }
}

extern "C" __global__ void __launch_bounds__(256)
    SubtractSquares(T* matrices, const T* columns, const int32_t* failed,
                    int blocks, int64_t n, int64_t j) {
  const int tiles = static_cast<int>((n - j - 1 + TILE - 1) / TILE);
  for (int block = blockIdx.x; block < blocks; block += gridDim.x) {
    const int line = block / tiles, m = line / tiles;
    if (failed[m] != 0) continue;
    const int64_t row = j + 1 + (line - m * tiles) * TILE;
    const int64_t first = j + 1 + (block - line * tiles) * TILE;
    SubtractSquare(matrices + m * n * n, columns + m * n, n, j, row,
                   MinOf(row + TILE, n), first, MinOf(first + TILE, n));
  }
}

// Zeros above the diagonal, and NaN below where the matrix has no factor.
extern "C" __global__ void __launch_bounds__(256)
    FinishCholesky(T* matrices, const int32_t* failed, int64_t count,
                   int64_t n) {
  for (GRID_STRIDE(at, count * n * n)) {
    const int64_t row = at / n, c = at - row * n, m = row / n;
    if (c > row - m * n) {
      matrices[at] = T(R(0));
    } else if (failed[m] != 0) {
      matrices[at] = T(QuietNan<R>());
    }
  }
}
