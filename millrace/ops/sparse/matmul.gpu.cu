// A sparse matrix a, of entries with coordinates of type I, times a dense one.
// T is the type of the elements; ADJOINT_A and ADJOINT_B say which factors are
// transposed and conjugated.
//
// Defines: T = float double half bfloat16 complex64 complex128; I = int64_t;
//      ADJOINT_A = 0; ADJOINT_B = 0
// Defines: T = float complex64; I = int32_t; ADJOINT_A = 0 1; ADJOINT_B = 0 1

typedef Compute<T> Sum;

// The rows of the result that entries give to.
extern "C" __global__ void RowsOfEntries(const I* indices, int64_t count,
                                         int64_t* rows) {
  for (GRID_STRIDE(i, count)) {
    rows[i] = static_cast<int64_t>(indices[2 * i + ADJOINT_A]);
  }
}

struct SparseProductArgs {
  int64_t rows, columns, inner;
  uint64_t position_mask;
  int32_t lane_bits, blocks_per_row;  // GridOverRows of row_order.gpu.h
  const uint64_t* keys;
  const int64_t* begins;
  const I* indices;
  const T *a, *b;
  T* out;
};
// Entries are those of the keys from the begin of a row on.
extern "C" __global__ void Multiply(const SparseProductArgs p) {
  const int64_t rows_per_block = blockDim.x >> p.lane_bits;
  const int64_t lanes = int64_t{p.blocks_per_row} << p.lane_bits;
  const int64_t lane = (int64_t{blockIdx.x % p.blocks_per_row} << p.lane_bits) +
                       (threadIdx.x & ((1 << p.lane_bits) - 1));
  const int64_t step = gridDim.x / p.blocks_per_row * rows_per_block;
  for (int64_t row = blockIdx.x / p.blocks_per_row * rows_per_block +
                     (threadIdx.x >> p.lane_bits);
       row < p.rows; row += step) {
    const int64_t begin = p.begins[row], end = p.begins[row + 1];
    for (int64_t column = lane; column < p.columns; column += lanes) {
      Sum sum = Sum(0);
#pragma unroll 4
      for (int64_t m = begin; m < end; ++m) {
        const int64_t entry = static_cast<int64_t>(p.keys[m] & p.position_mask);
        const int64_t k =
            static_cast<int64_t>(p.indices[2 * entry + 1 - ADJOINT_A]);
        Sum x = Sum(p.a[entry]), y = QuietNan<Sum>();
        if (k >= 0 && k < p.inner) {
          y = Sum(
              p.b[ADJOINT_B ? column * p.inner + k : k * p.columns + column]);
        }
#if ADJOINT_A
        x = Conj(x);
#endif
#if ADJOINT_B
        y = Conj(y);
#endif
        sum = sum + x * y;
      }
      p.out[row * p.columns + column] = T(sum);
    }
  }
}
