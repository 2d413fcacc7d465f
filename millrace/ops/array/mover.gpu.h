// GpuMover: moves elements in the memory of a GPU.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "millrace/device/cuda/launch.h"
#include "millrace/ops/array/mover.h"

namespace millrace::ops {

// The moves that a kernel makes; functions for the rest are not loaded.
struct GpuMoves {
  bool copies = true;
  bool rows = false;  // Join and Split
  bool pads = false;
};

// Kernels of device text take at most this many elements at a time.
inline constexpr int64_t kMaxGpuElements = (int64_t{1} << 31) - 1;

class GpuMover final : public Mover {
 public:
  static StatusOr<GpuMover> Make(const KernelInit& init, const GpuMoves& moves);

  Status Copy(KernelContext& ctx, const Tensor& src, Tensor* dst,
              const StridedCopySpec& spec) const override;
  Status Fill(KernelContext& ctx, Tensor* t,
              const Tensor& value) const override;
  Status Zero(KernelContext& ctx, Tensor* t) const override;
  Status Join(KernelContext& ctx, absl::Span<const Part> parts, int64_t outer,
              Tensor* dst) const override;
  Status Split(KernelContext& ctx, const Tensor& src, int64_t outer,
               int64_t row, absl::Span<const Piece> pieces) const override;

  enum class PadMode { kConstant = 0, kReflect = 1, kSymmetric = 2 };
  // Copies `src`, which has elements, with paddings. `value`, in host memory,
  // is that of constant paddings; mirrored ones do not read it.
  Status Pad(KernelContext& ctx, const Tensor& src, Tensor* dst,
             absl::Span<const PaddedDim> dims, PadMode mode,
             const Tensor& value) const;

 private:
  // Elements of 1, 2, 4, 8 and 16 bytes.
  using ByWidth = std::array<GpuFunction, 5>;

  Status CopyPart(KernelContext& ctx, int64_t width, uintptr_t src,
                  uintptr_t dst, const StridedCopySpec& spec) const;
  template <int kRank>
  Status LaunchCopy(KernelContext& ctx, const ByWidth& functions, int64_t width,
                    uintptr_t src, uintptr_t dst,
                    const StridedCopySpec& spec) const;
  // Transposes, if `spec` is a transpose; returns whether it was one.
  StatusOr<bool> Transpose(KernelContext& ctx, int64_t width, uintptr_t src,
                           uintptr_t dst, const StridedCopySpec& spec) const;
  Status PadByCopy(KernelContext& ctx, const Tensor& src, Tensor* dst,
                   absl::Span<const PaddedDim> dims, const Tensor& value) const;
  template <int kRank>
  Status LaunchPad(KernelContext& ctx, const ByWidth& functions, int64_t width,
                   uintptr_t src, uintptr_t dst,
                   absl::Span<const PaddedDim> dims, PadMode mode,
                   const Tensor& value) const;
  struct RowsOf;
  Status MoveRows(KernelContext& ctx, const ByWidth& functions,
                  absl::Span<const RowsOf> parts, int64_t width,
                  uintptr_t other, int64_t row, int64_t outer) const;

  ByWidth copy2_, copy4_, copy8_, transpose_, join_, split_, pad4_, pad8_;
  GpuFunction fill_;
};

namespace internal {

template <class K, GpuMoves kMoves>
struct GpuMoving {
  static StatusOr<GpuMoving> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(GpuMover mover, GpuMover::Make(init, kMoves));
    if constexpr (requires { K::Make(init); }) {
      MR_ASSIGN_OR_RETURN(K k, K::Make(init));
      return GpuMoving{std::move(k), std::move(mover)};
    } else {
      return GpuMoving{K(), std::move(mover)};
    }
  }
  Status Run(KernelContext& ctx) const { return k.Run(ctx, mover); }
  K k;
  GpuMover mover;
};

}  // namespace internal

template <class K, GpuMoves kMoves = GpuMoves{}>
StatusOr<std::unique_ptr<Kernel>> MakeOnGpu(const KernelInit& init) {
  return MakeKernel<internal::GpuMoving<K, kMoves>>(init);
}

}  // namespace millrace::ops
