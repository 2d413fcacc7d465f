#include "millrace/ops/reduction/reduce.gpu.h"

#include <algorithm>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/reduction/reduce.h"
#include "millrace/ops/reduction/reduce_ops.gpu.h"

MR_GPU_SOURCE(reduction_reduce);

namespace millrace::ops {
namespace {

constexpr int kMaxGroups = 4;
constexpr int kThreads = 256;
// Enough blocks for every card; the number must not depend on it, since it
// decides the order of additions.
constexpr int64_t kWantedBlocks = 1024;
constexpr int64_t kMaxSlices = 1024;

struct Dim {
  int64_t size, stride;
};

// Cuts `units`, of which a block takes `least` at once, into slices, if the
// outputs alone do not fill a card.
int64_t SlicesOf(int64_t blocks, int64_t units, int64_t least) {
  if (blocks >= kWantedBlocks / 2) return 1;
  const int64_t most = std::min(kMaxSlices, units / least);
  return std::max<int64_t>(1, std::min(most, kWantedBlocks / blocks));
}

}  // namespace

// The dimensions of an input, of which neighbours that are kept or reduced
// together are merged.
struct GpuReducer::Layout {
  std::vector<Dim> kept, reduced;
  bool inner_is_reduced = true;

  Layout(const TensorShape& shape, const std::vector<bool>& is_reduced) {
    int64_t stride = 1;
    bool last = true, first = true;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      if (shape.dim(d) == 1) continue;
      const bool now = is_reduced[static_cast<size_t>(d)];
      std::vector<Dim>& dims = now ? reduced : kept;
      if (!first && now == last) {
        dims.front().size *= shape.dim(d);
      } else {
        dims.insert(dims.begin(), {shape.dim(d), stride});
      }
      if (first) inner_is_reduced = now;
      stride *= shape.dim(d);
      last = now;
      first = false;
    }
  }
};

// As ReduceArgs of the device text.
struct GpuReducer::Args {
  uint64_t x = 0, out = 0, partial = 0;
  int64_t outputs = 1, reduced_count = 1, count = 1;
  int64_t slices = 1, slice = 1;
  GpuDivisor kept[kMaxGroups], reduced[kMaxGroups];
  int64_t kept_strides[kMaxGroups] = {}, reduced_strides[kMaxGroups] = {};
  int64_t inner = 1;
  int width_shift = 0;

  // Sets dimensions, the outermost of which needs no division.
  static Status Set(absl::Span<const Dim> from, GpuDivisor* dims,
                    int64_t* strides) {
    if (from.size() > kMaxGroups) {
      return Unimplemented("Reductions on GPUs take at most ", kMaxGroups,
                           " groups of dimensions that are kept, and as many "
                           "that are reduced, but got ",
                           from.size());
    }
    for (size_t i = 0; i < from.size(); ++i) {
      if (i > 0 && from[i].size >> 31 != 0) {
        return Unimplemented(
            "Reductions on GPUs take dimensions below 2^31, "
            "but got ",
            from[i].size);
      }
      if (i > 0) dims[i] = GpuDivisor(static_cast<uint32_t>(from[i].size));
      strides[i] = from[i].stride;
    }
    return OkStatus();
  }
  // Sets the slices, of the number that is given or fewer.
  void Slice(int64_t wanted) {
    slice = (reduced_count + wanted - 1) / wanted;
    slices = (reduced_count + slice - 1) / slice;
  }
};

StatusOr<GpuReducer> GpuReducer::Make(const KernelInit& init, DataType type,
                                      const char* op) {
  GpuReducer r;
  r.type_ = type;
  const struct {
    GpuFunction* function;
    const char* entry;
  } kEntries[] = {
      {&r.rows_thread_, "RowsThread"},        {&r.rows_warp_, "RowsWarp"},
      {&r.rows_warp_wide_, "RowsWarpWide"},   {&r.rows_block_, "RowsBlock"},
      {&r.rows_block_wide_, "RowsBlockWide"}, {&r.columns_, "Columns"},
      {&r.join_slices_, "JoinSlices"},        {&r.fill_empty_, "FillEmpty"}};
  const std::vector<GpuDefine> defines = {{"T", GpuTypeName(type)}, {"OP", op}};
  const auto texts = WithReduceOps(MR_GPU_SOURCE_OF(reduction_reduce));
  for (const auto& e : kEntries) {
    MR_ASSIGN_OR_RETURN(*e.function,
                        LoadGpuFunction(init, texts, e.entry, defines));
  }
  return r;
}

Status GpuReducer::Reduce(KernelContext& ctx, const Tensor& x,
                          const std::vector<bool>& reduced, Tensor* out) const {
  const int64_t outputs = out->num_elements();
  if (outputs == 0) return OkStatus();
  if (x.num_elements() == 0) {
    return LaunchGpu(ctx, fill_empty_, GridOver(outputs), GpuOutput(*out),
                     outputs);
  }
  Layout l(x.shape(), reduced);
  Args a;
  a.x = x.device_address();
  a.out = out->device_address();
  a.outputs = outputs;
  a.count = a.reduced_count = x.num_elements() / outputs;
  if (!l.inner_is_reduced) {
    a.inner = l.kept.back().size;
    l.kept.pop_back();
    MR_RETURN_IF_ERROR(Args::Set(l.kept, a.kept, a.kept_strides));
    MR_RETURN_IF_ERROR(Args::Set(l.reduced, a.reduced, a.reduced_strides));
    return ReduceColumns(ctx, a);
  }
  // Reads 16 bytes at once where rows are aligned to them.
  const auto size = static_cast<int64_t>(SizeOf(type_));
  const int64_t unit = std::max<int64_t>(1, 16 / size);
  constexpr int64_t kLeastWide = 128;  // elements
  const bool wide = unit > 1 && a.reduced_count >= kLeastWide &&
                    l.reduced.back().size % unit == 0 && a.x % 16 == 0;
  if (wide) {
    l.reduced.back().size /= unit;
    l.reduced.back().stride = unit;
    a.reduced_count /= unit;
  }
  MR_RETURN_IF_ERROR(Args::Set(l.kept, a.kept, a.kept_strides));
  MR_RETURN_IF_ERROR(Args::Set(l.reduced, a.reduced, a.reduced_strides));
  return ReduceRows(ctx, a, wide);
}

Status GpuReducer::ReduceRows(KernelContext& ctx, Args& a, bool wide) const {
  constexpr int64_t kThreadRow = 32, kWarpRow = 1024;  // units, at most
  a.slice = a.reduced_count;
  if (!wide && a.reduced_count < kThreadRow) {
    return LaunchGpu(ctx, rows_thread_, GridOver(a.outputs), a);
  }
  if (a.reduced_count <= kWarpRow) {
    constexpr int64_t kWarps = kThreads / 32;
    return LaunchGpu(
        ctx, wide ? rows_warp_wide_ : rows_warp_,
        GpuGrid{.blocks = (a.outputs + kWarps - 1) / kWarps, .strided = true},
        a);
  }
  a.Slice(SlicesOf(a.outputs, a.reduced_count, kThreads * 4));
  return Launch(ctx, wide ? rows_block_wide_ : rows_block_, a,
                a.outputs * a.slices);
}

Status GpuReducer::ReduceColumns(KernelContext& ctx, Args& a) const {
  while (a.width_shift < 5 && (1 << a.width_shift) < a.inner) ++a.width_shift;
  const int64_t width = int64_t{1} << a.width_shift;
  const int64_t lines = kThreads / width;
  const int64_t blocks = a.outputs / a.inner * ((a.inner + width - 1) / width);
  a.Slice(SlicesOf(blocks, a.reduced_count, lines * 8));
  return Launch(ctx, columns_, a, blocks * a.slices);
}

Status GpuReducer::Launch(KernelContext& ctx, const GpuFunction& function,
                          Args& a, int64_t blocks) const {
  Tensor partial;
  if (a.slices > 1) {
    // What is accumulated has at most the size of complex128.
    const int64_t acc = type_ == DataType::kComplex128 ? 16 : 8;
    MR_ASSIGN_OR_RETURN(
        partial, ctx.AllocateTemp(DataType::kUint8,
                                  TensorShape({a.slices * a.outputs * acc})));
    a.partial = partial.device_address();
  }
  MR_RETURN_IF_ERROR(
      LaunchGpu(ctx, function, GpuGrid{.blocks = blocks, .strided = true}, a));
  if (a.slices == 1) return OkStatus();
  constexpr int64_t kWarps = kThreads / 32;
  return LaunchGpu(
      ctx, join_slices_,
      GpuGrid{.blocks = (a.outputs + kWarps - 1) / kWarps, .strided = true}, a);
}

namespace {

enum class OfOne { kKept, kReduced };

// An op with an input of axes. The reduction of one element is that element, if
// kOne says so.
template <const char* kOp, OfOne kOne>
class ReduceGpuKernel {
 public:
  static StatusOr<ReduceGpuKernel> Make(const KernelInit& init) {
    ReduceGpuKernel k;
    MR_ASSIGN_OR_RETURN(k.keep_dims_, init.Attr<bool>("keep_dims"));
    MR_ASSIGN_OR_RETURN(
        k.reducer_, GpuReducer::Make(init, RemoveRef(init.input_type(0)), kOp));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& x = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const ReducePlan plan,
                        PlanReduction(x.shape(), ctx.input(1), keep_dims_));
    if (plan.count == 1 && kOne == OfOne::kKept) {
      ctx.set_output(0, x.Reshaped(plan.shape));
      return OkStatus();
    }
    MR_RETURN_IF_ERROR(ctx.BindInput(0));
    MR_ASSIGN_OR_RETURN(Tensor* const z, ctx.AllocateOutput(0, plan.shape));
    return reducer_.Reduce(ctx, ctx.input(0), plan.reduced, z);
  }

 private:
  bool keep_dims_ = false;
  GpuReducer reducer_;
};

constexpr char kAdd[] = "AddOf";
constexpr char kMean[] = "MeanOf";
constexpr char kProduct[] = "ProductOf";
constexpr char kNorm[] = "NormOf";
constexpr char kLargest[] = "LargestOf";
constexpr char kSmallest[] = "SmallestOf";
constexpr char kEvery[] = "EveryOf";
constexpr char kSome[] = "SomeOf";

#define MR_REAL_ON_GPU                                                    \
  "T: float, double, half, bfloat16, int8, int16, int64, uint8, uint16, " \
  "uint32, uint64"
#define MR_ON_GPU MR_REAL_ON_GPU ", complex64, complex128"

}  // namespace

// Sums of float are those of float, in a tree; on CPUs they are of double.
MR_KERNELS(Sum, Gpu){{.types = MR_ON_GPU,
                      .make = MakeKernel<ReduceGpuKernel<kAdd, OfOne::kKept>>,
                      .host = "reduction_indices",
                      .views = "input"},
                     {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(Mean, Gpu){{.types = MR_ON_GPU,
                       .make = MakeKernel<ReduceGpuKernel<kMean, OfOne::kKept>>,
                       .host = "reduction_indices",
                       .views = "input"},
                      {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(Prod, Gpu){
    {.types = MR_ON_GPU,
     .make = MakeKernel<ReduceGpuKernel<kProduct, OfOne::kKept>>,
     .host = "reduction_indices",
     .views = "input"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(EuclideanNorm, Gpu){
    {.types = MR_ON_GPU,
     .make = MakeKernel<ReduceGpuKernel<kNorm, OfOne::kReduced>>,
     .host = "reduction_indices",
     .views = "input"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(Max, Gpu){
    {.types = MR_REAL_ON_GPU,
     .make = MakeKernel<ReduceGpuKernel<kLargest, OfOne::kKept>>,
     .host = "reduction_indices",
     .views = "input"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(Min, Gpu){
    {.types = MR_REAL_ON_GPU,
     .make = MakeKernel<ReduceGpuKernel<kSmallest, OfOne::kKept>>,
     .host = "reduction_indices",
     .views = "input"},
    {.types = "T: int32", .make = OnHost, .host = "*"}};
MR_KERNELS(All, Gpu){{.make = MakeKernel<ReduceGpuKernel<kEvery, OfOne::kKept>>,
                      .host = "reduction_indices",
                      .views = "input"}};
MR_KERNELS(Any, Gpu){{.make = MakeKernel<ReduceGpuKernel<kSome, OfOne::kKept>>,
                      .host = "reduction_indices",
                      .views = "input"}};

}  // namespace millrace::ops
