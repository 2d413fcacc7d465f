#include "millrace/ops/array/mover.h"

#include "absl/container/inlined_vector.h"
#include "millrace/ops/layout/join.h"

namespace millrace::ops {
namespace {

class HostMover final : public Mover {
 public:
  Status Copy(KernelContext& ctx, const Tensor& src, Tensor* dst,
              const StridedCopySpec& spec) const override {
    return StridedCopy(ctx, src.dtype(), src.data(), dst->mutable_data(), spec);
  }
  Status Fill(KernelContext& ctx, Tensor* t,
              const Tensor& value) const override {
    return FillTensor(ctx, t, value.data());
  }
  Status Zero(KernelContext& ctx, Tensor* t) const override {
    return ZeroTensor(ctx, t);
  }
  Status Join(KernelContext& ctx, absl::Span<const Part> parts, int64_t outer,
              Tensor* dst) const override {
    absl::InlinedVector<RowView, 8> rows;
    rows.reserve(parts.size());
    for (const Part& p : parts) rows.push_back({p.tensor->data(), p.row});
    return JoinRows(ctx, dst->dtype(), rows, outer, dst->mutable_data());
  }
  Status Split(KernelContext& ctx, const Tensor& src, int64_t outer,
               int64_t row, absl::Span<const Piece> pieces) const override {
    absl::InlinedVector<RowPart, 8> parts;
    parts.reserve(pieces.size());
    for (const Piece& p : pieces) {
      parts.push_back({p.begin, p.size, p.tensor->mutable_data()});
    }
    return SplitRows(ctx, src.dtype(), src.data(), outer, row, parts);
  }
};

constexpr HostMover kHostMover;

}  // namespace

const Mover& CpuMover() { return kHostMover; }

}  // namespace millrace::ops
