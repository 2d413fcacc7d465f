// Reductions of segments of rows in the memory of a GPU.
#pragma once

#include "millrace/device/cuda/launch.h"

namespace millrace::ops {

// Which rows make a segment, and how.
struct GpuSegmentRows {
  // The first member of each segment, and the end of the last: int64.
  const Tensor* begins = nullptr;
  // Where members are sorted keys: the keys and the bits of their positions.
  // The member's row is then the position.
  const Tensor* keys = nullptr;
  int position_bits = 0;
  // The rows of members or, where there are keys, of positions; null: they are
  // the rows themselves.
  const Tensor* rows = nullptr;
  // Each row is multiplied by its factor (RowFactors); null: by none.
  const Tensor* factors = nullptr;
  bool neutral_if_empty = false;  // else zero
  bool divides_by_root = false;   // of the number of rows
  int64_t members = 0;            // of all segments
};

class GpuSegments {
 public:
  // `op` is a struct of reduce_ops.gpu.cu. Ids and rows are int32 or int64.
  static StatusOr<GpuSegments> Make(const KernelInit& init, DataType type,
                                    const char* op, DataType id_type,
                                    DataType row_type);

  // Returns the begins of `segments` segments whose members are sorted ids;
  // GpuRowOrder::Begins returns those of keys.
  StatusOr<Tensor> BeginsOfIds(KernelContext& ctx, const Tensor& ids,
                               int64_t segments) const;
  enum class Factor { kSize, kRoot };
  // Returns 1 by the size of each segment, or by its root.
  StatusOr<Tensor> RowFactors(KernelContext& ctx, const Tensor& begins,
                              Factor factor) const;
  // Sets `out`, [segments, ...], to the reductions of rows of `x`. Long
  // segments are shared by blocks. Rows are joined in an order that the ids
  // decide.
  Status Reduce(KernelContext& ctx, const Tensor& x, const GpuSegmentRows& rows,
                Tensor* out) const;

 private:
  DataType type_ = DataType::kInvalid;
  GpuFunction begins_of_ids_, factors_, threads_, blocks_, owners_, join_,
      segments_of_parts_;
};

}  // namespace millrace::ops
