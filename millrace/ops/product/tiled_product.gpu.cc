#include "millrace/ops/product/tiled_product.gpu.h"

#include <algorithm>
#include <limits>

MR_GPU_SOURCE(product_tiled_product);

namespace millrace::ops {
namespace {

// TileProblem of tiled_product.gpu.cu for PASS 0.
struct MatrixTiles {
  int64_t batches, m, n, k;
  int64_t a_batch, a_row, a_column;
  int64_t b_batch, b_row, b_column;
};

int64_t Tiles(int64_t n) { return (n + kTile - 1) / kTile; }

}  // namespace

TiledProduct::TiledProduct(const KernelInit& init, DataType type,
                           bool conjugate_a, bool conjugate_b) {
  const std::vector<GpuDefine> defines = {
      {"T", GpuTypeName(type)},
      {"PASS", "0"},
      {"CONJUGATE_A", conjugate_a ? "1" : "0"},
      {"CONJUGATE_B", conjugate_b ? "1" : "0"}};
  product_ = LazyGpuFunction(init, MR_GPU_SOURCE_OF(product_tiled_product),
                             "Product", defines);
  product_of_large_ = LazyGpuFunction(
      init, MR_GPU_SOURCE_OF(product_tiled_product), "ProductOfLarge", defines);
}

Status TiledProduct::Run(KernelContext& ctx, const StridedProduct& p) const {
  const int64_t b_row = p.b_row != 0 ? p.b_row : p.transpose_b ? p.k : p.n;
  MatrixTiles t{.batches = p.batches, .m = p.m, .n = p.n, .k = p.k};
  t.a_batch = p.a_batch;
  t.a_row = p.transpose_a ? 1 : p.k;
  t.a_column = p.transpose_a ? p.m : 1;
  t.b_batch = p.b_batch;
  t.b_row = p.transpose_b ? 1 : b_row;
  t.b_column = p.transpose_b ? b_row : 1;
  // The function counts elements within a product, and products.
  const int64_t largest =
      std::max({p.batches, p.m * p.k, std::max(p.k, p.n) * b_row, p.m * p.n});
  const bool is_large = largest > std::numeric_limits<int32_t>::max() / 2;
  MR_ASSIGN_OR_RETURN(const GpuFunction function,
                      (is_large ? product_of_large_ : product_).Get());
  const int by_k_of_a = p.transpose_a ? 0 : 1;
  const int by_k_of_b = p.transpose_b ? 1 : 0;
  const int64_t tiles = Tiles(p.m) * Tiles(p.n) * p.batches;
  return LaunchGpu(ctx, function,
                   GpuGrid{.blocks = std::min<int64_t>(
                               tiles, std::numeric_limits<int32_t>::max()),
                           .threads = kTileThreads},
                   t, p.a, p.b, p.c, by_k_of_a, by_k_of_b);
}

}  // namespace millrace::ops
