#include "millrace/ops/state/rows/row_order.gpu.h"

#include <algorithm>
#include <bit>

MR_GPU_SOURCE(state_rows_row_order);

namespace millrace::ops {
namespace {

// These are also in row_order.gpu.cu.
constexpr int kMostCoordinates = 8;
constexpr int64_t kMostKeysOfRun = 2048;
struct Coordinates {
  int64_t depth = 0;
  int64_t dims[kMostCoordinates] = {};
};

constexpr int kRowThreads = 256;
// More blocks than run at once, so that their ends do not leave much idle.
constexpr int64_t kMostRowBlocks = 4096;

}  // namespace

StatusOr<GpuRowOrder> GpuRowOrder::Make(const KernelInit& init,
                                        DataType index_type) {
  GpuRowOrder order;
  const std::vector<GpuDefine> defines = {{"INDEX", GpuTypeName(index_type)}};
  const GpuSource& source = MR_GPU_SOURCE_OF(state_rows_row_order);
  MR_ASSIGN_OR_RETURN(order.sort_runs_,
                      LoadGpuFunction(init, source, "SortRuns", defines));
  MR_ASSIGN_OR_RETURN(order.merge_runs_,
                      LoadGpuFunction(init, source, "MergeRuns", defines));
  MR_ASSIGN_OR_RETURN(order.begins_,
                      LoadGpuFunction(init, source, "BeginsOfRows", defines));
  return order;
}

StatusOr<SortedRows> GpuRowOrder::Sort(KernelContext& ctx,
                                       const Tensor& indices, int64_t count,
                                       absl::Span<const int64_t> dims) const {
  Coordinates coordinates;
  if (dims.size() > kMostCoordinates) {
    return Unimplemented("indices with ", dims.size(),
                         " coordinates on a GPU, which takes at most ",
                         kMostCoordinates);
  }
  coordinates.depth = static_cast<int64_t>(dims.size());
  std::copy(dims.begin(), dims.end(), coordinates.dims);
  SortedRows sorted;
  sorted.position_bits = static_cast<int32_t>(
      std::bit_width(static_cast<uint64_t>(std::max<int64_t>(count - 1, 0))));
  uint64_t places = 1;
  for (const int64_t size : dims) places *= static_cast<uint64_t>(size);
  if (places > ~uint64_t{0} >> sorted.position_bits) {
    return Unimplemented(count, " positions of ", places,
                         " places on a GPU, whose numbers need more than 64 "
                         "bits together");
  }
  const TensorShape shape({count});
  MR_ASSIGN_OR_RETURN(sorted.keys, ctx.AllocateTemp(DataType::kUint64, shape));
  if (count == 0) return sorted;
  const int64_t run = std::min(
      kMostKeysOfRun,
      static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(count))));
  const GpuGrid runs{
      .blocks = (count + run - 1) / run,
      .threads = run > kRowThreads ? 2 * kRowThreads : kRowThreads};
  MR_RETURN_IF_ERROR(LaunchGpu(
      ctx, sort_runs_, runs, GpuInput(indices), coordinates, count,
      sorted.position_bits, static_cast<int32_t>(run), GpuOutput(sorted.keys)));
  if (run >= count) return sorted;
  MR_ASSIGN_OR_RETURN(Tensor merged,
                      ctx.AllocateTemp(DataType::kUint64, shape));
  for (int64_t size = run; size < count; size *= 2) {
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, merge_runs_, GridOver(count),
                                 GpuInput(sorted.keys), count, size,
                                 GpuOutput(merged)));
    std::swap(sorted.keys, merged);
  }
  return sorted;
}

StatusOr<Tensor> GpuRowOrder::Begins(KernelContext& ctx,
                                     const SortedRows& sorted,
                                     int64_t rows) const {
  MR_ASSIGN_OR_RETURN(Tensor begins, ctx.AllocateTemp(DataType::kInt64,
                                                      TensorShape({rows + 1})));
  MR_RETURN_IF_ERROR(LaunchGpu(ctx, begins_, GridOver(rows + 1),
                               GpuInput(sorted.keys), sorted.position_bits,
                               sorted.count(), rows, GpuOutput(begins)));
  return begins;
}

RowGrid GridOverRows(int64_t rows, int64_t elements) {
  RowGrid made;
  if (rows == 0 || elements == 0) return made;
  const uint64_t lanes = std::bit_ceil(
      static_cast<uint64_t>(std::min<int64_t>(elements, kRowThreads)));
  made.lane_bits = std::countr_zero(lanes);
  const int64_t per_block = kRowThreads >> made.lane_bits;
  const int64_t of_rows = (rows + per_block - 1) / per_block;
  const int64_t of_elements = (elements + static_cast<int64_t>(lanes) - 1) /
                              static_cast<int64_t>(lanes);
  made.blocks_per_row = static_cast<int32_t>(
      std::clamp<int64_t>(kMostRowBlocks / of_rows, 1, of_elements));
  const int64_t most =
      std::max<int64_t>(kMostRowBlocks / made.blocks_per_row, 1);
  made.grid = {.blocks = std::min(of_rows, most) * made.blocks_per_row,
               .threads = kRowThreads};
  return made;
}

const char* GpuNameOfSize(DataType type) {
  switch (SizeOf(type)) {
    case 1:
      return "uint8_t";
    case 2:
      return "uint16_t";
    case 4:
      return "uint32_t";
    case 8:
      return "uint64_t";
    default:
      return "complex128";
  }
}

}  // namespace millrace::ops
