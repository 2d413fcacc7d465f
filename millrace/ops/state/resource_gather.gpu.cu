// Copies rows of a variable by their indices. T is a type of an element's size,
// INDEX that of the indices.
//
// Defines: T = uint8_t uint16_t uint32_t uint64_t complex128;
//      INDEX = int32_t int64_t

// Copies `elements` elements of type E each: row `indices[i]` of its batch, of
// `limit` rows, becomes row i of `to`, or zeros if there is no such row.
// The threads of a block are 2^lane_bits lanes for elements by a number of
// rows; neighbouring blocks, `blocks_per_row` of them, share those rows.
template <class E>
MR_DEVICE void GatherRows(const E* from, const INDEX* indices, int64_t count,
                          int64_t per_batch, int64_t limit, int64_t elements,
                          int lane_bits, int blocks_per_row, E* to) {
  const int64_t rows_per_block = blockDim.x >> lane_bits;
  const int64_t lanes = int64_t{blocks_per_row} << lane_bits;
  const int64_t lane = (int64_t{blockIdx.x % blocks_per_row} << lane_bits) +
                       (threadIdx.x & ((1 << lane_bits) - 1));
  const int64_t step = gridDim.x / blocks_per_row * rows_per_block;
  for (int64_t i = blockIdx.x / blocks_per_row * rows_per_block +
                   (threadIdx.x >> lane_bits);
       i < count; i += step) {
    const int64_t row = indices[i];
    const bool exists = row >= 0 && row < limit;
    const E* const source = from + (i / per_batch * limit + row) * elements;
    for (int64_t e = lane; e < elements; e += lanes) {
      to[i * elements + e] = exists ? source[e] : E{};
    }
  }
}

extern "C" __global__ void Gather(const T* from, const INDEX* indices,
                                  int64_t count, int64_t per_batch,
                                  int64_t limit, int64_t elements,
                                  int lane_bits, int blocks_per_row, T* to) {
  GatherRows<T>(from, indices, count, per_batch, limit, elements, lane_bits,
                blocks_per_row, to);
}

// The same in pieces of 16 bytes, for rows that consist of them and lie at
// multiples of 16.
extern "C" __global__ void GatherPieces(const Pack<uint64_t, 2>* from,
                                        const INDEX* indices, int64_t count,
                                        int64_t per_batch, int64_t limit,
                                        int64_t elements, int lane_bits,
                                        int blocks_per_row,
                                        Pack<uint64_t, 2>* to) {
  GatherRows(from, indices, count, per_batch, limit, elements, lane_bits,
             blocks_per_row, to);
}
