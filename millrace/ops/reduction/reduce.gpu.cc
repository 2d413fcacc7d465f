#include "millrace/ops/reduction/reduce.gpu.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/reduction/reduce.h"
#include "millrace/ops/reduction/reduce_ops.gpu.h"

MR_GPU_SOURCE(reduction_reduce);

namespace millrace::ops {
namespace {

constexpr int kFewGroups = 4;
// Of any tensor: its groups of at least two elements alternate, so that of
// fewer than 2^63 elements at most 31 groups are kept, and as many reduced.
constexpr int kMostGroups = 32;
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

// The dimensions of an input, of which neighbours that are kept or reduced
// together are merged.
struct Layout {
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

// What ReduceArgs of the device text begins with.
struct ReduceNumbers {
  uint64_t x = 0, out = 0, partial = 0;
  int64_t outputs = 1, reduced_count = 1, count = 1;
  int64_t slices = 1, slice = 1;
  int64_t inner = 1;
  int32_t width_shift = 0, groups = 0;
};

// ReduceArgs of the device text. The outermost dimension needs no division.
template <int kGroups>
struct ReduceArgs {
  ReduceNumbers numbers;
  GpuDivisor kept[kGroups], reduced[kGroups];
  int64_t kept_strides[kGroups] = {}, reduced_strides[kGroups] = {};

  ReduceArgs(const ReduceNumbers& numbers, absl::Span<const Dim> kept_dims,
             absl::Span<const Dim> reduced_dims)
      : numbers(numbers) {
    Set(kept_dims, kept, kept_strides);
    Set(reduced_dims, reduced, reduced_strides);
  }

 private:
  static void Set(absl::Span<const Dim> from, GpuDivisor* dims,
                  int64_t* strides) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (i > 0) dims[i] = GpuDivisor(static_cast<uint32_t>(from[i].size));
      strides[i] = from[i].stride;
    }
  }
};

// Returns UNIMPLEMENTED for dimensions that the device text cannot divide by.
Status CheckDims(absl::Span<const Dim> dims) {
  for (size_t i = 1; i < dims.size(); ++i) {
    if (dims[i].size >> 31 != 0) {
      return Unimplemented(
          "Reductions on GPUs take dimensions below 2^31, but got ",
          dims[i].size);
    }
  }
  return OkStatus();
}

}  // namespace

struct GpuReducer::Plan {
  ReduceNumbers numbers;
  std::vector<Dim> kept, reduced;  // without the innermost one of columns

  // Sets the slices, of the number that is given or fewer.
  void Slice(int64_t wanted) {
    ReduceNumbers& n = numbers;
    n.slice = (n.reduced_count + wanted - 1) / wanted;
    n.slices = (n.reduced_count + n.slice - 1) / n.slice;
  }
  Status SetGroups() {
    MR_RETURN_IF_ERROR(CheckDims(kept));
    MR_RETURN_IF_ERROR(CheckDims(reduced));
    numbers.groups =
        static_cast<int32_t>(std::max(kept.size(), reduced.size()));
    return OkStatus();
  }
};

struct GpuReducer::Many {
  Many(const KernelInit& init, DataType type, const char* op)
      : init(init), type(type), op(op) {}

  // Returns what Load returned when it was first asked, and asks again after
  // an error.
  StatusOr<Functions> Get() {
    MutexLock lock(mu);
    if (!functions) {
      MR_ASSIGN_OR_RETURN(functions, Load(init, type, op, kMostGroups));
    }
    return *functions;
  }

  const KernelInit init;
  const DataType type;
  const char* const op;
  Mutex mu;
  std::optional<Functions> functions;
};

GpuReducer::GpuReducer() = default;
GpuReducer::GpuReducer(GpuReducer&&) noexcept = default;
GpuReducer& GpuReducer::operator=(GpuReducer&&) noexcept = default;
GpuReducer::~GpuReducer() = default;

StatusOr<GpuReducer::Functions> GpuReducer::Load(const KernelInit& init,
                                                 DataType type, const char* op,
                                                 int groups) {
  Functions f;
  std::vector<GpuDefine> defines = {{"T", GpuTypeName(type)}, {"OP", op}};
  if (groups != kFewGroups) {
    defines.push_back({"GROUPS", std::to_string(groups)});
  }
  const auto texts = WithReduceOps(MR_GPU_SOURCE_OF(reduction_reduce));
  MR_RETURN_IF_ERROR(LoadGpuFunctions(init, texts, defines,
                                      {{&f.rows_thread, "RowsThread"},
                                       {&f.rows_warp, "RowsWarp"},
                                       {&f.rows_warp_wide, "RowsWarpWide"},
                                       {&f.rows_block, "RowsBlock"},
                                       {&f.rows_block_wide, "RowsBlockWide"},
                                       {&f.columns, "Columns"},
                                       {&f.join_slices, "JoinSlices"},
                                       {&f.fill_empty, "FillEmpty"}}));
  return f;
}

StatusOr<GpuReducer> GpuReducer::Make(const KernelInit& init, DataType type,
                                      const char* op) {
  GpuReducer r;
  r.type_ = type;
  MR_ASSIGN_OR_RETURN(r.few_, Load(init, type, op, kFewGroups));
  r.many_ = std::make_unique<Many>(init, type, op);
  return r;
}

Status GpuReducer::Reduce(KernelContext& ctx, const Tensor& x,
                          const std::vector<bool>& reduced, Tensor* out) const {
  const int64_t outputs = out->num_elements();
  if (outputs == 0) return OkStatus();
  if (x.num_elements() == 0) {
    return LaunchGpu(ctx, few_.fill_empty, GridOver(outputs), GpuOutput(*out),
                     outputs);
  }
  Layout l(x.shape(), reduced);
  Plan plan;
  ReduceNumbers& n = plan.numbers;
  n.x = x.device_address();
  n.out = out->device_address();
  n.outputs = outputs;
  n.count = n.reduced_count = x.num_elements() / outputs;
  bool wide = false;
  if (!l.inner_is_reduced) {
    n.inner = l.kept.back().size;
    l.kept.pop_back();
  } else {
    // Reads 16 bytes at once where rows are aligned to them.
    const auto size = static_cast<int64_t>(SizeOf(type_));
    const int64_t unit = std::max<int64_t>(1, 16 / size);
    constexpr int64_t kLeastWide = 128;  // elements
    wide = unit > 1 && n.reduced_count >= kLeastWide &&
           l.reduced.back().size % unit == 0 && n.x % 16 == 0;
    if (wide) {
      l.reduced.back().size /= unit;
      l.reduced.back().stride = unit;
      n.reduced_count /= unit;
    }
  }
  plan.kept = std::move(l.kept);
  plan.reduced = std::move(l.reduced);
  MR_RETURN_IF_ERROR(plan.SetGroups());
  return l.inner_is_reduced ? ReduceRows(ctx, plan, wide)
                            : ReduceColumns(ctx, plan);
}

Status GpuReducer::ReduceRows(KernelContext& ctx, Plan& plan, bool wide) const {
  constexpr int64_t kThreadRow = 32, kWarpRow = 1024;  // units, at most
  ReduceNumbers& n = plan.numbers;
  n.slice = n.reduced_count;
  if (!wide && n.reduced_count < kThreadRow) {
    return Launch(ctx, &Functions::rows_thread, plan, GridOver(n.outputs));
  }
  if (n.reduced_count <= kWarpRow) {
    constexpr int64_t kWarps = kThreads / 32;
    return Launch(
        ctx, wide ? &Functions::rows_warp_wide : &Functions::rows_warp, plan,
        GpuGrid{.blocks = (n.outputs + kWarps - 1) / kWarps, .strided = true});
  }
  plan.Slice(SlicesOf(n.outputs, n.reduced_count, kThreads * 4));
  return LaunchSlices(
      ctx, wide ? &Functions::rows_block_wide : &Functions::rows_block, plan,
      n.outputs * n.slices);
}

Status GpuReducer::ReduceColumns(KernelContext& ctx, Plan& plan) const {
  ReduceNumbers& n = plan.numbers;
  while (n.width_shift < 5 && (1 << n.width_shift) < n.inner) ++n.width_shift;
  const int64_t width = int64_t{1} << n.width_shift;
  const int64_t lines = kThreads / width;
  const int64_t blocks = n.outputs / n.inner * ((n.inner + width - 1) / width);
  plan.Slice(SlicesOf(blocks, n.reduced_count, lines * 8));
  return LaunchSlices(ctx, &Functions::columns, plan, blocks * n.slices);
}

Status GpuReducer::LaunchSlices(KernelContext& ctx,
                                GpuFunction Functions::*function, Plan& plan,
                                int64_t blocks) const {
  ReduceNumbers& n = plan.numbers;
  Tensor partial;
  if (n.slices > 1) {
    // What is accumulated has at most the size of complex128.
    const int64_t acc = type_ == DataType::kComplex128 ? 16 : 8;
    MR_ASSIGN_OR_RETURN(
        partial, ctx.AllocateTemp(DataType::kUint8,
                                  TensorShape({n.slices * n.outputs * acc})));
    n.partial = partial.device_address();
  }
  MR_RETURN_IF_ERROR(
      Launch(ctx, function, plan, GpuGrid{.blocks = blocks, .strided = true}));
  if (n.slices == 1) return OkStatus();
  constexpr int64_t kWarps = kThreads / 32;
  return Launch(
      ctx, &Functions::join_slices, plan,
      GpuGrid{.blocks = (n.outputs + kWarps - 1) / kWarps, .strided = true});
}

Status GpuReducer::Launch(KernelContext& ctx, GpuFunction Functions::*function,
                          const Plan& plan, const GpuGrid& grid) const {
  if (plan.numbers.groups <= kFewGroups) {
    return LaunchGpu(
        ctx, few_.*function, grid,
        ReduceArgs<kFewGroups>(plan.numbers, plan.kept, plan.reduced));
  }
  MR_ASSIGN_OR_RETURN(const Functions many, many_->Get());
  return LaunchGpu(
      ctx, many.*function, grid,
      ReduceArgs<kMostGroups>(plan.numbers, plan.kept, plan.reduced));
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
