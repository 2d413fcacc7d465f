// Diagonals of batches of matrices: what the ops on them do, for the memory of
// any device.
#pragma once

#include <algorithm>
#include <cstdint>

#include "millrace/kernel/kernel.h"

namespace millrace::ops {

// The diagonals low ... high of matrices of one size. Their elements lie in
// rows of length `longest`, the highest diagonal first.
struct Diagonals {
  int64_t rows = 0, cols = 0, low = 0, high = 0;
  bool above_left = true, below_left = true;  // alignment

  int64_t count() const { return high - low + 1; }
  int64_t longest() const {
    return std::min(rows + std::min<int64_t>(high, 0),
                    cols - std::max<int64_t>(low, 0));
  }
  int64_t Length(int64_t k) const {
    return std::min(rows + std::min<int64_t>(k, 0),
                    cols - std::max<int64_t>(k, 0));
  }
  // Returns where diagonal k begins in its row.
  int64_t Offset(int64_t k) const {
    const bool left = (k >= 0 && above_left) || (k <= 0 && below_left);
    return left ? 0 : longest() - Length(k);
  }
  // Returns where diagonal k begins in the matrix; its next element is cols + 1
  // further on.
  int64_t Place(int64_t k) const { return k >= 0 ? k : -k * cols; }
  // Checks that the diagonals lie in the matrix. `stop` ends the first sentence
  // of the error.
  Status Check(absl::string_view stop) const;
};

// Moves diagonals in the memory of a kernel's device. Tensors lie there, but
// for scalars that a comment says are in host memory.
class DiagonalMover {
 public:
  // Sets `out` to the diagonals of the matrices in `x`; the rest of shorter
  // ones to `padding`, in host memory. Null: there are none.
  virtual Status Take(KernelContext& ctx, const Diagonals& d, const Tensor& x,
                      const Tensor* padding, Tensor* out) const = 0;
  // Sets the diagonals of the matrices in `out` to `diagonal`, and all else to
  // what `base` has there or, if that is null, to `fill`, in host memory, or to
  // zero. `out` has elements.
  virtual Status Put(KernelContext& ctx, const Diagonals& d,
                     const Tensor& diagonal, const Tensor* base,
                     const Tensor* fill, Tensor* out) const = 0;

 protected:
  ~DiagonalMover() = default;
};

// Says which diagonals an op takes: the main one, those that an input names, or
// those with an attribute that aligns them.
enum class DiagVersion { kMain, kRange, kAlignedRange };

// The parameters that the versions of an op share: k and the alignment.
struct DiagSpec {
  static StatusOr<DiagSpec> Make(const KernelInit& init, DiagVersion version);
  bool ranged = false, above_left = true, below_left = true;
};

// Run MatrixDiagPart, MatrixDiag and MatrixSetDiag.
Status TakeMatrixDiagonals(KernelContext& ctx, const DiagSpec& spec,
                           const DiagonalMover& mover);
Status MakeMatrixDiagonals(KernelContext& ctx, const DiagSpec& spec,
                           const DiagonalMover& mover);
Status SetMatrixDiagonals(KernelContext& ctx, const DiagSpec& spec,
                          const DiagonalMover& mover);

}  // namespace millrace::ops
