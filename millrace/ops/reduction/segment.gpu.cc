// Kernels of reductions of segments. Ids and rows out of range are passed over,
// as in TensorFlow on GPUs; on CPUs they are errors.
#include "millrace/ops/reduction/segment.gpu.h"

#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/device_read.gpu.h"
#include "millrace/ops/reduction/reduce_ops.gpu.h"
#include "millrace/ops/reduction/segment.h"
#include "millrace/ops/state/rows/row_order.gpu.h"

MR_GPU_SOURCE(reduction_segment);

namespace millrace::ops {
namespace {

// As in the device text.
struct SegmentArgs {
  uint64_t x = 0, out = 0, begins = 0, keys = 0, rows = 0, factors = 0;
  uint64_t row_mask = 0, owners = 0, partial = 0;
  int64_t segments = 0, inner = 0, limit = 0, parts = 0;
  int32_t empty = 0, by_root = 0, width_shift = 0, part_shift = 0;

  // The columns that a block takes at once, in tiles of a row.
  int64_t Tiles() const {
    const int64_t width = int64_t{1} << width_shift;
    return (inner + width - 1) / width;
  }
};

// Cuts members into parts, of 2^least_shift members or more, unless there are
// too few. Returns whether it did.
bool CutMembers(SegmentArgs& a, int64_t members, int32_t least_shift) {
  // Beyond so many parts their values, of which each has `inner`, are the
  // limit.
  constexpr int64_t kEnoughParts = 1024, kMaxValues = int64_t{1} << 24;
  a.part_shift = least_shift;
  while (members >> a.part_shift > kEnoughParts &&
         (members >> a.part_shift) * a.inner > kMaxValues) {
    ++a.part_shift;
  }
  const int64_t parts = members >> a.part_shift;
  if (parts < 2) return false;
  a.parts = parts;
  return true;
}

uint64_t AddressOrNull(const Tensor* t) {
  return t == nullptr || t->num_elements() == 0 ? 0 : t->device_address();
}

}  // namespace

StatusOr<GpuSegments> GpuSegments::Make(const KernelInit& init, DataType type,
                                        const char* op, DataType id_type,
                                        DataType row_type) {
  GpuSegments s;
  s.type_ = type;
  const std::vector<GpuDefine> defines = {{"T", GpuTypeName(type)},
                                          {"OP", op},
                                          {"ID", GpuTypeName(id_type)},
                                          {"ROW", GpuTypeName(row_type)}};
  const auto texts = WithReduceOps(MR_GPU_SOURCE_OF(reduction_segment));
  MR_RETURN_IF_ERROR(
      LoadGpuFunctions(init, texts, defines,
                       {{&s.begins_of_ids_, "BeginsOfIds"},
                        {&s.factors_, "RowFactors"},
                        {&s.threads_, "SegmentsOfThreads"},
                        {&s.blocks_, "SegmentsOfBlocks"},
                        {&s.owners_, "OwnersOfParts"},
                        {&s.join_, "JoinParts"},
                        {&s.segments_of_parts_, "SegmentsOfParts"}}));
  return s;
}

StatusOr<Tensor> GpuSegments::BeginsOfIds(KernelContext& ctx, const Tensor& ids,
                                          int64_t segments) const {
  MR_ASSIGN_OR_RETURN(
      Tensor begins,
      ctx.AllocateTemp(DataType::kInt64, TensorShape({segments + 1})));
  MR_RETURN_IF_ERROR(LaunchGpu(ctx, begins_of_ids_, GridOver(segments + 1),
                               GpuInput(ids), ids.num_elements(), segments,
                               GpuOutput(begins)));
  return begins;
}

StatusOr<Tensor> GpuSegments::RowFactors(KernelContext& ctx,
                                         const Tensor& begins,
                                         Factor factor) const {
  const int64_t segments = begins.num_elements() - 1;
  const DataType type =
      type_ == DataType::kDouble ? DataType::kDouble : DataType::kFloat;
  MR_ASSIGN_OR_RETURN(Tensor factors,
                      ctx.AllocateTemp(type, TensorShape({segments})));
  MR_RETURN_IF_ERROR(
      LaunchGpu(ctx, factors_, GridOver(segments), GpuInput(begins), segments,
                factor == Factor::kSize ? 0 : 1, GpuOutput(factors)));
  return factors;
}

Status GpuSegments::Reduce(KernelContext& ctx, const Tensor& x,
                           const GpuSegmentRows& rows, Tensor* out) const {
  if (out->num_elements() == 0) return OkStatus();
  SegmentArgs a;
  a.x = AddressOrNull(&x);
  a.out = out->device_address();
  a.begins = rows.begins->device_address();
  a.keys = AddressOrNull(rows.keys);
  a.rows = AddressOrNull(rows.rows);
  a.factors = AddressOrNull(rows.factors);
  a.row_mask = (uint64_t{1} << rows.position_bits) - 1;
  a.segments = out->dim(0);
  a.inner = out->num_elements() / a.segments;
  a.limit = x.num_elements() / a.inner;
  a.empty = rows.neutral_if_empty ? 1 : 0;
  a.by_root = rows.divides_by_root ? 1 : 0;
  while (a.width_shift < 5 && (1 << a.width_shift) < a.inner) ++a.width_shift;
  // A block for each segment pays if they have many rows. Whatever the average
  // is, a segment may have most of the rows, and is cut.
  constexpr int64_t kManyRows = 64;
  constexpr int32_t kPartForThreads = 9, kPartForBlocks = 12;
  const bool by_threads = rows.members / a.segments < kManyRows;
  const bool is_cut = CutMembers(a, rows.members,
                                 by_threads ? kPartForThreads : kPartForBlocks);
  Tensor owners, partial;
  if (is_cut) {
    MR_ASSIGN_OR_RETURN(
        owners, ctx.AllocateTemp(DataType::kInt64, TensorShape({a.parts})));
    // What is accumulated has at most the size of complex128.
    const int64_t acc = type_ == DataType::kComplex128 ? 16 : 8;
    MR_ASSIGN_OR_RETURN(
        partial, ctx.AllocateTemp(DataType::kUint8,
                                  TensorShape({a.parts * a.inner * acc})));
    a.owners = owners.device_address();
    a.partial = partial.device_address();
  }
  const GpuGrid by_parts{.blocks = a.parts * a.Tiles(), .strided = true};
  if (is_cut) {
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, owners_, GridOver(a.parts), a));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, join_, by_parts, a));
  }
  if (!by_threads) {
    const GpuGrid grid{.blocks = a.segments * a.Tiles(), .strided = true};
    return LaunchGpu(ctx, blocks_, grid, a);
  }
  MR_RETURN_IF_ERROR(
      LaunchGpu(ctx, threads_, GridOver(out->num_elements()), a));
  if (!is_cut) return OkStatus();
  return LaunchGpu(ctx, segments_of_parts_, by_parts, a);
}

namespace {

enum class Empty { kZero, kNeutral };

template <const char* kOp, Empty kEmpty>
class UnsortedSegmentGpu {
 public:
  static StatusOr<UnsortedSegmentGpu> Make(const KernelInit& init) {
    UnsortedSegmentGpu k;
    const DataType ids = RemoveRef(init.input_type(1));
    MR_ASSIGN_OR_RETURN(k.order_, GpuRowOrder::Make(init, ids));
    MR_ASSIGN_OR_RETURN(
        k.segments_,
        GpuSegments::Make(init, RemoveRef(init.input_type(0)), kOp, ids, ids));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& data = ctx.input(0);
    const Tensor& ids = ctx.input(1);
    MR_ASSIGN_OR_RETURN(
        const TensorShape shape,
        UnsortedSegmentShape(data.shape(), ids.shape(), ctx.input(2)));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t count = shape.dim(0);
    MR_ASSIGN_OR_RETURN(const SortedRows sorted,
                        order_.Sort(ctx, ids, ids.num_elements(), {count}));
    MR_ASSIGN_OR_RETURN(const Tensor begins, order_.Begins(ctx, sorted, count));
    return segments_.Reduce(ctx, data,
                            {.begins = &begins,
                             .keys = &sorted.keys,
                             .position_bits = sorted.position_bits,
                             .neutral_if_empty = kEmpty == Empty::kNeutral,
                             .members = ids.num_elements()},
                            out);
  }

 private:
  GpuRowOrder order_;
  GpuSegments segments_;
};

// The number of rows of the result is known when the last id has come to the
// host. Ids have to be sorted; that they are is not checked, as in TensorFlow
// on GPUs.
template <const char* kOp, Empty kEmpty>
class SortedSegmentGpu {
 public:
  static StatusOr<SortedSegmentGpu> Make(const KernelInit& init) {
    SortedSegmentGpu k;
    const DataType ids = RemoveRef(init.input_type(1));
    MR_ASSIGN_OR_RETURN(
        k.segments_,
        GpuSegments::Make(init, RemoveRef(init.input_type(0)), kOp, ids, ids));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const Tensor& ids = ctx.input(1);
    const Status checked = CheckSegments(ctx.input(0).shape(), ids.shape());
    if (!checked.ok()) return std::move(done)(checked);
    const int64_t n = ids.num_elements();
    if (n == 0) return std::move(done)(Reduce(ctx, 0));
    ReadOnHost(
        ctx, ids.Rows(n - 1, n),
        [this, &ctx](const Tensor& last) -> Status {
          const int64_t rows = IntValues(last)[0] + 1;
          if (rows <= 0) return InvalidArgument("segment ids must be >= 0");
          return Reduce(ctx, rows);
        },
        std::move(done));
  }

 private:
  Status Reduce(KernelContext& ctx, int64_t rows) const {
    const Tensor& data = ctx.input(0);
    DimVector dims = data.shape().dims();
    dims[0] = rows;
    MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, std::move(shape)));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const Tensor begins,
                        segments_.BeginsOfIds(ctx, ctx.input(1), rows));
    return segments_.Reduce(ctx, data,
                            {.begins = &begins,
                             .neutral_if_empty = kEmpty == Empty::kNeutral,
                             .members = data.dim(0)},
                            out);
  }

  GpuSegments segments_;
};

constexpr char kSumOp[] = "AddOf";
constexpr char kMeanOp[] = "MeanOf";
constexpr char kProdOp[] = "ProductOf";
constexpr char kMaxOp[] = "LargestOf";
constexpr char kMinOp[] = "SmallestOf";

#define MR_IDS_ON_GPU "; Tindices: int32, int64"
#define MR_SEGMENT_REAL_ON_GPU                                           \
  "T: float, double, half, bfloat16, int8, int16, int32, int64, uint8, " \
  "uint16, uint32, uint64"
#define MR_SEGMENT_ON_GPU MR_SEGMENT_REAL_ON_GPU ", complex64, complex128"
#define MR_UNSORTED(kTypes, kOp, kEmpty)                   \
  {                                                        \
    {                                                      \
      .types = kTypes MR_IDS_ON_GPU,                       \
      .make = MakeKernel<UnsortedSegmentGpu<kOp, kEmpty>>, \
      .host = "num_segments"                               \
    }                                                      \
  }
#define MR_SORTED(kTypes, kOp, kEmpty)                  \
  {                                                     \
    {                                                   \
      .types = kTypes MR_IDS_ON_GPU,                    \
      .make = MakeKernel<SortedSegmentGpu<kOp, kEmpty>> \
    }                                                   \
  }

}  // namespace

MR_KERNELS(UnsortedSegmentSum, Gpu)
MR_UNSORTED(MR_SEGMENT_ON_GPU, kSumOp, Empty::kZero);
MR_KERNELS(UnsortedSegmentProd, Gpu)
MR_UNSORTED(MR_SEGMENT_ON_GPU, kProdOp, Empty::kNeutral);
MR_KERNELS(UnsortedSegmentMax, Gpu)
MR_UNSORTED(MR_SEGMENT_REAL_ON_GPU, kMaxOp, Empty::kNeutral);
MR_KERNELS(UnsortedSegmentMin, Gpu)
MR_UNSORTED(MR_SEGMENT_REAL_ON_GPU, kMinOp, Empty::kNeutral);
MR_KERNELS(SegmentSum, Gpu)
MR_SORTED(MR_SEGMENT_ON_GPU, kSumOp, Empty::kZero);
MR_KERNELS(SegmentMean, Gpu)
MR_SORTED(MR_SEGMENT_ON_GPU, kMeanOp, Empty::kZero);
MR_KERNELS(SegmentProd, Gpu)
MR_SORTED(MR_SEGMENT_ON_GPU, kProdOp, Empty::kNeutral);
MR_KERNELS(SegmentMax, Gpu)
MR_SORTED(MR_SEGMENT_REAL_ON_GPU, kMaxOp, Empty::kZero);
MR_KERNELS(SegmentMin, Gpu)
MR_SORTED(MR_SEGMENT_REAL_ON_GPU, kMinOp, Empty::kZero);

}  // namespace millrace::ops
