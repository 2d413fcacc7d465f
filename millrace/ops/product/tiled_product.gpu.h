// Products of matrices on GPUs by our own function, where no library computes
// them: integers, and devices without cuBLASLt.
#pragma once

#include "millrace/device/cuda/launch.h"
#include "millrace/device/cuda/lazy_gpu_function.h"
#include "millrace/device/cuda/strided_product.h"

namespace millrace::ops {

// The sizes of a tile of tiled_product.gpu.cu.
inline constexpr int64_t kTile = 64;
inline constexpr int64_t kTileThreads = 256;

// Thread-safe.
class TiledProduct {
 public:
  TiledProduct() = default;
  // `conjugate_a` and `conjugate_b` are those of all products.
  TiledProduct(const KernelInit& init, DataType type, bool conjugate_a,
               bool conjugate_b);

  // Requires: no size is 0.
  Status Run(KernelContext& ctx, const StridedProduct& p) const;

 private:
  LazyGpuFunction product_, product_of_large_;
};

}  // namespace millrace::ops
