// Kernels of reductions over segments of rows that a list of indices selects.
// Ids have to be sorted; neither this nor their range is checked, as in
// TensorFlow on GPUs.
#include <utility>
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/device_read.gpu.h"
#include "millrace/ops/indexing/where.gpu.h"
#include "millrace/ops/reduction/segment.gpu.h"
#include "millrace/ops/reduction/segment.h"
#include "millrace/ops/state/rows/row_order.gpu.h"

MR_GPU_SOURCE(reduction_sparse_segment);

namespace millrace::ops {
namespace {

enum class SparseKind { kSum, kMean, kSqrtN };

StatusOr<int64_t> HostScalar(KernelContext& ctx, int i, const char* what) {
  if (ctx.input(i).rank() != 0) {
    return InvalidArgument(what, " should be a scalar, not shape ",
                           ctx.input(i).shape().DebugString());
  }
  return IntValues(ctx.input(i))[0];
}

StatusOr<Tensor*> RowsLike(KernelContext& ctx, const Tensor& like,
                           int64_t rows) {
  DimVector dims = like.shape().dims();
  dims[0] = rows;
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  return ctx.AllocateOutput(0, std::move(shape));
}

template <SparseKind kKind>
class SparseSegmentRows {
 public:
  Status Init(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(
        segments_,
        GpuSegments::Make(init, RemoveRef(init.input_type(0)),
                          kKind == SparseKind::kMean ? "MeanOf" : "AddOf",
                          RemoveRef(init.input_type(2)),
                          RemoveRef(init.input_type(1))));
    return OkStatus();
  }
  Status Check(KernelContext& ctx) const {
    return CheckSparseSegments(ctx.input(0).shape(), ctx.input(1).shape(),
                               ctx.input(2).shape());
  }
  Status Reduce(KernelContext& ctx, int64_t rows) const {
    const Tensor& data = ctx.input(0);
    MR_ASSIGN_OR_RETURN(Tensor* const out, RowsLike(ctx, data, rows));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const Tensor begins,
                        segments_.BeginsOfIds(ctx, ctx.input(2), rows));
    return segments_.Reduce(ctx, data,
                            {.begins = &begins,
                             .rows = &ctx.input(1),
                             .divides_by_root = kKind == SparseKind::kSqrtN,
                             .members = ctx.input(1).num_elements()},
                            out);
  }

 private:
  GpuSegments segments_;
};

// The number of rows of the result is known when the last id has come to the
// host.
template <SparseKind kKind>
class SparseSegmentGpu {
 public:
  static StatusOr<SparseSegmentGpu> Make(const KernelInit& init) {
    SparseSegmentGpu k;
    MR_RETURN_IF_ERROR(k.rows_.Init(init));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const Status checked = rows_.Check(ctx);
    if (!checked.ok()) return std::move(done)(checked);
    const Tensor& ids = ctx.input(2);
    const int64_t n = ids.num_elements();
    if (n == 0) return std::move(done)(rows_.Reduce(ctx, 0));
    ReadOnHost(
        ctx, ids.Rows(n - 1, n),
        [this, &ctx](const Tensor& last) -> Status {
          const int64_t rows = IntValues(last)[0] + 1;
          if (rows <= 0) return InvalidArgument("segment ids must be >= 0");
          return rows_.Reduce(ctx, rows);
        },
        std::move(done));
  }

 private:
  SparseSegmentRows<kKind> rows_;
};

template <SparseKind kKind>
class SparseSegmentOfNumberGpu {
 public:
  static StatusOr<SparseSegmentOfNumberGpu> Make(const KernelInit& init) {
    SparseSegmentOfNumberGpu k;
    MR_RETURN_IF_ERROR(k.rows_.Init(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(rows_.Check(ctx));
    MR_ASSIGN_OR_RETURN(const int64_t rows, HostScalar(ctx, 3, "num_segments"));
    if (rows < 0) return InvalidArgument("segment ids must be >= 0");
    return rows_.Reduce(ctx, rows);
  }

 private:
  SparseSegmentRows<kKind> rows_;
};

// Adds rows of the gradient to the rows that indices name, in the order of the
// indices.
template <SparseKind kKind>
class SparseSegmentGradRows {
 public:
  Status Init(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(order_,
                        GpuRowOrder::Make(init, RemoveRef(init.input_type(1))));
    const DataType ids = RemoveRef(init.input_type(2));
    MR_ASSIGN_OR_RETURN(segments_,
                        GpuSegments::Make(init, RemoveRef(init.input_type(0)),
                                          "AddOf", ids, ids));
    return OkStatus();
  }
  // Checks the inputs and returns the number of rows that there may be.
  StatusOr<int64_t> Check(KernelContext& ctx, const char* what) const {
    MR_RETURN_IF_ERROR(CheckSparseSegments(
        ctx.input(0).shape(), ctx.input(1).shape(), ctx.input(2).shape()));
    MR_ASSIGN_OR_RETURN(const int64_t rows, HostScalar(ctx, 3, what));
    if (rows < 0) {
      return InvalidArgument("Expected a non-negative size, got ", rows,
                             " as output_dim0");
    }
    return rows;
  }
  StatusOr<SortedRows> Sort(KernelContext& ctx, int64_t rows) const {
    return order_.Sort(ctx, ctx.input(1), ctx.input(1).num_elements(), {rows});
  }
  const GpuRowOrder& order() const { return order_; }
  // Sets output 0, of which each row has the keys from its begin on.
  Status Reduce(KernelContext& ctx, const SortedRows& sorted,
                const Tensor& begins, Tensor* out) const {
    const Tensor& grad = ctx.input(0);
    const Tensor& ids = ctx.input(2);
    Tensor factors;
    if (kKind != SparseKind::kSum) {
      MR_ASSIGN_OR_RETURN(const Tensor sizes,
                          segments_.BeginsOfIds(ctx, ids, grad.dim(0)));
      MR_ASSIGN_OR_RETURN(
          factors, segments_.RowFactors(ctx, sizes,
                                        kKind == SparseKind::kMean
                                            ? GpuSegments::Factor::kSize
                                            : GpuSegments::Factor::kRoot));
    }
    return segments_.Reduce(
        ctx, grad,
        {.begins = &begins,
         .keys = &sorted.keys,
         .position_bits = sorted.position_bits,
         .rows = &ids,
         .factors = kKind == SparseKind::kSum ? nullptr : &factors,
         .members = sorted.count()},
        out);
  }

 private:
  GpuRowOrder order_;
  GpuSegments segments_;
};

// The gradient of all rows.
template <SparseKind kKind>
class SparseSegmentGradGpu {
 public:
  static StatusOr<SparseSegmentGradGpu> Make(const KernelInit& init) {
    SparseSegmentGradGpu k;
    MR_RETURN_IF_ERROR(k.rows_.Init(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const int64_t rows, rows_.Check(ctx, "output_dim0"));
    MR_ASSIGN_OR_RETURN(Tensor* const out, RowsLike(ctx, ctx.input(0), rows));
    if (out->num_elements() == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(const SortedRows sorted, rows_.Sort(ctx, rows));
    MR_ASSIGN_OR_RETURN(const Tensor begins,
                        rows_.order().Begins(ctx, sorted, rows));
    return rows_.Reduce(ctx, sorted, begins, out);
  }

 private:
  SparseSegmentGradRows<kKind> rows_;
};

// The gradient of the rows that indices name, whose number is known when it has
// come to the host.
template <SparseKind kKind>
class SparseSegmentNamedGradGpu {
 public:
  static StatusOr<SparseSegmentNamedGradGpu> Make(const KernelInit& init) {
    SparseSegmentNamedGradGpu k;
    MR_RETURN_IF_ERROR(k.rows_.Init(init));
    MR_ASSIGN_OR_RETURN(k.non_zero_, GpuNonZero::Make(init, DataType::kBool));
    const std::vector<GpuDefine> defines = {
        {"INDEX", GpuTypeName(RemoveRef(init.input_type(1)))}};
    const GpuSource& source = MR_GPU_SOURCE_OF(reduction_sparse_segment);
    MR_ASSIGN_OR_RETURN(k.mark_,
                        LoadGpuFunction(init, source, "MarkRows", defines));
    MR_ASSIGN_OR_RETURN(k.take_,
                        LoadGpuFunction(init, source, "TakeRows", defines));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    StatusOr<Found> found = Find(ctx);
    if (!found.ok()) return std::move(done)(found.status());
    Tensor total = GpuNonZero::Total(found->counts);
    ReadOnHost(
        ctx, std::move(total),
        [this, &ctx, found = *std::move(found)](const Tensor& count) {
          return Finish(ctx, found, count.flat<int64_t>()[0]);
        },
        std::move(done));
  }

 private:
  struct Found {
    SortedRows sorted;
    Tensor first, counts;
  };
  StatusOr<Found> Find(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const int64_t dense,
                        rows_.Check(ctx, "dense_output_dim0"));
    Found f;
    // Without rows, no index names one.
    MR_ASSIGN_OR_RETURN(f.sorted, rows_.Sort(ctx, dense));
    const int64_t n = f.sorted.count();
    MR_ASSIGN_OR_RETURN(f.first,
                        ctx.AllocateTemp(DataType::kBool, TensorShape({n})));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, mark_, GridOver(n),
                                 GpuInput(f.sorted.keys), n,
                                 f.sorted.position_bits, GpuOutput(f.first)));
    MR_ASSIGN_OR_RETURN(f.counts, non_zero_.Count(ctx, f.first));
    return f;
  }
  Status Finish(KernelContext& ctx, const Found& f, int64_t rows) const {
    MR_ASSIGN_OR_RETURN(Tensor* const out, RowsLike(ctx, ctx.input(0), rows));
    MR_ASSIGN_OR_RETURN(Tensor* const list,
                        ctx.AllocateOutput(1, TensorShape({rows})));
    if (rows == 0) return OkStatus();
    MR_ASSIGN_OR_RETURN(
        Tensor begins,
        ctx.AllocateTemp(DataType::kInt64, TensorShape({rows + 1})));
    Tensor places = begins.Rows(0, rows).Reshaped(TensorShape({rows, 1}));
    MR_RETURN_IF_ERROR(non_zero_.Write(ctx, f.first, f.counts, &places));
    MR_RETURN_IF_ERROR(LaunchGpu(ctx, take_, GridOver(rows + 1),
                                 GpuInput(f.sorted.keys), f.sorted.count(),
                                 f.sorted.position_bits, GpuOutput(begins),
                                 rows, GpuOutput(*list)));
    return rows_.Reduce(ctx, f.sorted, begins, out);
  }

  SparseSegmentGradRows<kKind> rows_;
  GpuNonZero non_zero_;
  GpuFunction mark_, take_;
};

#define MR_SPARSE_ON_GPU "T: bfloat16, double, float, half"

}  // namespace

MR_KERNELS(SparseSegmentSum,
           Gpu){{.types = MR_SPARSE_ON_GPU,
                 .make = MakeKernel<SparseSegmentGpu<SparseKind::kSum>>}};
MR_KERNELS(SparseSegmentMean,
           Gpu){{.types = MR_SPARSE_ON_GPU,
                 .make = MakeKernel<SparseSegmentGpu<SparseKind::kMean>>}};
MR_KERNELS(SparseSegmentSqrtN,
           Gpu){{.types = MR_SPARSE_ON_GPU,
                 .make = MakeKernel<SparseSegmentGpu<SparseKind::kSqrtN>>}};
MR_KERNELS(SparseSegmentSumWithNumSegments,
           Gpu){{.types = MR_SPARSE_ON_GPU,
                 .make = MakeKernel<SparseSegmentOfNumberGpu<SparseKind::kSum>>,
                 .host = "num_segments"}};
MR_KERNELS(SparseSegmentMeanWithNumSegments, Gpu){
    {.types = MR_SPARSE_ON_GPU,
     .make = MakeKernel<SparseSegmentOfNumberGpu<SparseKind::kMean>>,
     .host = "num_segments"}};
MR_KERNELS(SparseSegmentSqrtNWithNumSegments, Gpu){
    {.types = MR_SPARSE_ON_GPU,
     .make = MakeKernel<SparseSegmentOfNumberGpu<SparseKind::kSqrtN>>,
     .host = "num_segments"}};
MR_KERNELS(SparseSegmentSumGrad,
           Gpu){{.types = MR_SPARSE_ON_GPU,
                 .make = MakeKernel<SparseSegmentGradGpu<SparseKind::kSum>>,
                 .host = "output_dim0"}};
MR_KERNELS(SparseSegmentMeanGrad,
           Gpu){{.types = MR_SPARSE_ON_GPU,
                 .make = MakeKernel<SparseSegmentGradGpu<SparseKind::kMean>>,
                 .host = "output_dim0"}};
MR_KERNELS(SparseSegmentSqrtNGrad,
           Gpu){{.types = MR_SPARSE_ON_GPU,
                 .make = MakeKernel<SparseSegmentGradGpu<SparseKind::kSqrtN>>,
                 .host = "output_dim0"}};
MR_KERNELS(SparseSegmentSumGradV2, Gpu){
    {.types = MR_SPARSE_ON_GPU,
     .make = MakeKernel<SparseSegmentNamedGradGpu<SparseKind::kSum>>,
     .host = "dense_output_dim0"}};
MR_KERNELS(SparseSegmentMeanGradV2, Gpu){
    {.types = MR_SPARSE_ON_GPU,
     .make = MakeKernel<SparseSegmentNamedGradGpu<SparseKind::kMean>>,
     .host = "dense_output_dim0"}};
MR_KERNELS(SparseSegmentSqrtNGradV2, Gpu){
    {.types = MR_SPARSE_ON_GPU,
     .make = MakeKernel<SparseSegmentNamedGradGpu<SparseKind::kSqrtN>>,
     .host = "dense_output_dim0"}};

}  // namespace millrace::ops
