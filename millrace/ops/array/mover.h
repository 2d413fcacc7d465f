// Mover: moves elements in the memory of a kernel's device.
//
// A kernel that only moves elements checks its inputs, sets the shapes of its
// outputs and says what goes where. This code is the same for CPUs and GPUs:
//   Status RunSlice(KernelContext& ctx, const Mover& mover);
// or a class with
//   Status Run(KernelContext& ctx, const Mover& mover) const;
// MakeOnCpu makes kernels of CPUs from them, MakeOnGpu (mover.gpu.h) those of
// GPUs.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/types/span.h"
#include "millrace/kernel/kernel.h"
#include "millrace/ops/array/move.h"

namespace millrace::ops {

// Tensors lie in the memory of the kernel's device, unless a comment says so.
// No destination overlaps its source. Thread-safe.
class Mover {
 public:
  // Copies as `spec` says between tensors of one element type. Requires: every
  // index lies inside both.
  virtual Status Copy(KernelContext& ctx, const Tensor& src, Tensor* dst,
                      const StridedCopySpec& spec) const = 0;
  // Sets all elements to that of `value`, which lies in host memory and has the
  // same type.
  virtual Status Fill(KernelContext& ctx, Tensor* t,
                      const Tensor& value) const = 0;
  // Sets all elements to zero; strings, resources and variants stay as they
  // were allocated.
  virtual Status Zero(KernelContext& ctx, Tensor* t) const = 0;

  // A tensor as a matrix [outer, row].
  struct Part {
    const Tensor* tensor = nullptr;
    int64_t row = 0;  // elements in a row
  };
  // Makes row o of `dst` the concatenation of rows o of all parts. Requires:
  // `dst` has elements.
  virtual Status Join(KernelContext& ctx, absl::Span<const Part> parts,
                      int64_t outer, Tensor* dst) const = 0;
  // A part of the rows of a matrix, [begin, begin + size) of each, and the
  // tensor that becomes the matrix [outer, size] of its elements.
  struct Piece {
    int64_t begin = 0, size = 0;
    Tensor* tensor = nullptr;
  };
  // Copies parts of a source that is a matrix [outer, row].
  virtual Status Split(KernelContext& ctx, const Tensor& src, int64_t outer,
                       int64_t row, absl::Span<const Piece> pieces) const = 0;

  // Copies all elements between tensors of the same type and number.
  Status CopyAll(KernelContext& ctx, const Tensor& src, Tensor* dst) const {
    StridedCopySpec spec;
    spec.Add(src.num_elements(), 1, 1);
    return Copy(ctx, src, dst, spec);
  }

 protected:
  ~Mover() = default;
};

// A dimension of an input and its padding.
struct PaddedDim {
  int64_t size = 0;
  int64_t before = 0;
  int64_t after = 0;
  int64_t total() const { return before + size + after; }
};

// Returns the mover of CPUs.
const Mover& CpuMover();

namespace internal {

template <class K>
struct CpuMoving {
  static StatusOr<CpuMoving> Make(const KernelInit& init) {
    if constexpr (requires { K::Make(init); }) {
      MR_ASSIGN_OR_RETURN(K k, K::Make(init));
      return CpuMoving{std::move(k)};
    } else {
      return CpuMoving{};
    }
  }
  Status Run(KernelContext& ctx) const { return k.Run(ctx, CpuMover()); }
  K k;
};

}  // namespace internal

// A function as a class of kernels that move elements.
template <Status (*kFunction)(KernelContext&, const Mover&)>
struct MoveBy {
  Status Run(KernelContext& ctx, const Mover& mover) const {
    return kFunction(ctx, mover);
  }
};

template <class K>
StatusOr<std::unique_ptr<Kernel>> MakeOnCpu(const KernelInit& init) {
  return MakeKernel<internal::CpuMoving<K>>(init);
}

}  // namespace millrace::ops
