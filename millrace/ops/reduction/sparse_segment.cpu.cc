// Kernels of reductions over segments of rows that a list of indices selects.
#include <algorithm>
#include <cmath>
#include <vector>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/reduction/segment.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {

Status CheckSparseSegments(const TensorShape& data, const TensorShape& indices,
                           const TensorShape& ids) {
  if (data.rank() < 1) {
    return InvalidArgument("Shape must be at least rank 1");
  }
  if (indices.rank() != 1) {
    return InvalidArgument("indices should be a vector.");
  }
  if (ids.rank() != 1)
    return InvalidArgument("segment_ids should be a vector.");
  if (indices.num_elements() != ids.num_elements()) {
    return InvalidArgument("segment_ids and indices should have same size.");
  }
  return OkStatus();
}

namespace {

enum class Kind { kSum, kMean, kSqrtN };

// Returns the weight of a row in a segment of `count` rows.
double FactorOf(Kind kind, int64_t count) {
  const auto n = static_cast<double>(std::max<int64_t>(1, count));
  return kind == Kind::kMean    ? 1 / n
         : kind == Kind::kSqrtN ? 1 / std::sqrt(n)
                                : 1;
}

template <class T, class S>
MR_TARGET_CLONES void AddRow(const T* x, S factor, S* sums, int64_t n) {
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    sums[i] = Plus<S>(sums[i], Times<S>(static_cast<S>(x[i]), factor));
  }
}

struct Lists {
  CountedVector<int64_t> indices, ids;
  int64_t size() const { return static_cast<int64_t>(ids.size()); }
};

StatusOr<Lists> ReadLists(KernelContext& ctx) {
  const Tensor& indices = ctx.input(1);
  const Tensor& ids = ctx.input(2);
  MR_RETURN_IF_ERROR(
      CheckSparseSegments(ctx.input(0).shape(), indices.shape(), ids.shape()));
  return Lists{ManyIntValues(indices), ManyIntValues(ids)};
}

StatusOr<int64_t> ScalarInput(KernelContext& ctx, int i, const char* what) {
  if (ctx.input(i).rank() != 0) {
    return InvalidArgument(what, " should be a scalar, not shape ",
                           ctx.input(i).shape().DebugString());
  }
  return IntValues(ctx.input(i))[0];
}

// Returns where the members of each of `rows` rows begin if sorted by row, and
// their number at the end.
CountedVector<int64_t> Begins(const CountedVector<int64_t>& row_of,
                              int64_t rows) {
  CountedVector<int64_t> first(static_cast<size_t>(rows) + 1);
  for (const int64_t r : row_of) ++first[static_cast<size_t>(r) + 1];
  for (int64_t r = 0; r < rows; ++r) first[r + 1] += first[r];
  return first;
}

// Allocates output 0 with the shape of `like`, except for the number of rows.
StatusOr<Tensor*> AllocateRows(KernelContext& ctx, const Tensor& like,
                               int64_t rows) {
  DimVector dims = like.shape().dims();
  dims[0] = rows;
  MR_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  return ctx.AllocateOutput(0, std::move(shape));
}

// Sets row r of the output to factor(r) times the sum of what add(i, sums) adds
// for its members, i from first[r] to first[r + 1].
template <class T, class Add, class Factor>
Status SumRows(KernelContext& ctx, const CountedVector<int64_t>& first,
               Tensor* out, Add add, Factor factor) {
  using S = ComputeType<T>;
  T* z = out->mutable_flat<T>().data();
  const auto rows = static_cast<int64_t>(first.size()) - 1;
  const int64_t inner = out->num_elements() / rows;
  return ctx.ParallelFor(rows, inner * (first.back() / rows + 1),
                         [&](int64_t begin, int64_t end) {
                           CountedVector<S> sums(static_cast<size_t>(inner));
                           for (int64_t r = begin; r < end; ++r) {
                             std::fill(sums.begin(), sums.end(), S(0));
                             for (int64_t i = first[r]; i < first[r + 1]; ++i)
                               add(i, sums.data());
                             const S f = static_cast<S>(factor(r));
                             for (int64_t k = 0; k < inner; ++k) {
                               z[r * inner + k] = static_cast<T>(sums[k] * f);
                             }
                           }
                         });
}

// The source of the number of segments: the last id, or an input.
enum class NumSegments { kLastId, kInput };

class SparseSegmentBase {
 public:
  SparseSegmentBase(Kind kind, NumSegments count)
      : kind_(kind), count_(count) {}

  Status Run(KernelContext& ctx) const {
    const Tensor& data = ctx.input(0);
    MR_ASSIGN_OR_RETURN(const Lists lists, ReadLists(ctx));
    const int64_t n = lists.size();
    int64_t rows = n > 0 ? lists.ids.back() + 1 : 0;
    if (count_ == NumSegments::kInput) {
      MR_ASSIGN_OR_RETURN(const int64_t given,
                          ScalarInput(ctx, 3, "num_segments"));
      if (given >= 0 && rows > given) {
        return InvalidArgument("segment ids must be < num_segments");
      }
      rows = given;
    }
    if (rows < 0 || (rows == 0 && n > 0)) {
      return InvalidArgument("segment ids must be >= 0");
    }
    MR_RETURN_IF_ERROR(Check(lists, rows, data.dim(0)));
    MR_ASSIGN_OR_RETURN(Tensor* const out, AllocateRows(ctx, data, rows));
    if (out->num_elements() == 0) return OkStatus();
    const CountedVector<int64_t> first = Begins(lists.ids, rows);
    const int64_t inner = out->num_elements() / rows;
    return Dispatch(RealTypes{}, data.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* x = data.flat<T>().data();
      return SumRows<T>(
          ctx, first, out,
          [&](int64_t i, S* sums) {
            AddRow(x + lists.indices[i] * inner, S(1), sums, inner);
          },
          [&](int64_t r) { return FactorOf(kind_, first[r + 1] - first[r]); });
    });
  }

 private:
  static Status Check(const Lists& lists, int64_t rows, int64_t limit) {
    int64_t end = 0;
    for (int64_t begin = 0; begin < lists.size(); begin = end) {
      const int64_t id = lists.ids[begin];
      while (end < lists.size() && lists.ids[end] == id) ++end;
      if (end < lists.size() && lists.ids[end] < id) {
        return InvalidArgument("segment ids are not increasing");
      }
      if (id < 0 || id >= rows) {
        return InvalidArgument(
            "Segment id ", id, " out of range [0, ", rows,
            "), possibly because 'segment_ids' input is not sorted.");
      }
      for (int64_t i = begin; i < end; ++i) {
        if (lists.indices[i] < 0 || lists.indices[i] >= limit) {
          return InvalidArgument("Bad: indices[", i, "] == ", lists.indices[i],
                                 " out of range [0, ", limit, ")");
        }
      }
    }
    return OkStatus();
  }

  Kind kind_;
  NumSegments count_;
};

template <Kind kKind, NumSegments kNumSegments>
struct SparseSegmentKernel : SparseSegmentBase {
  SparseSegmentKernel() : SparseSegmentBase(kKind, kNumSegments) {}
};

// Which rows a gradient has: all, or those that indices name in ascending
// order.
enum class GradRows { kAll, kNamed };

// Adds rows of the gradient to the rows that indices name.
class SparseSegmentGradBase {
 public:
  SparseSegmentGradBase(Kind kind, GradRows rows) : kind_(kind), rows_(rows) {}

  Status Run(KernelContext& ctx) const {
    const Tensor& grad = ctx.input(0);
    if (grad.rank() == 0 && ctx.input(1).num_elements() > 0) {
      return InvalidArgument("Index must be less than 0, got ",
                             IntValues(ctx.input(1))[0],
                             ", as the gradient has no rows");
    }
    MR_ASSIGN_OR_RETURN(const Lists lists, ReadLists(ctx));
    if (ctx.input(3).rank() != 0) {
      return InvalidArgument(
          rows_ == GradRows::kAll ? "output_dim0" : "dense_output_dim0",
          " should be a scalar.");
    }
    const int64_t dense = IntValues(ctx.input(3))[0];
    if (dense < 0) {
      return InvalidArgument("Expected a non-negative size, got ", dense,
                             " as output_dim0");
    }
    if (dense == 0) return NoRows(ctx, grad);
    const int64_t n = lists.size();
    const int64_t segments = grad.dim(0);
    if (n > 0 && lists.ids.back() >= segments) {
      return InvalidArgument("Invalid number of segments");
    }
    // A gradient without elements may have endless segments.
    MemoryCharge charge;
    MR_RETURN_IF_ERROR(charge.Set(segments * 8, "the sizes of segments"));
    std::vector<int64_t> counts(static_cast<size_t>(segments));
    for (int64_t i = 0; i < n; ++i) {
      if (lists.ids[i] < 0 || lists.ids[i] >= segments) {
        return InvalidArgument("Segment id ", lists.ids[i],
                               " out of range [0, ", segments, ").");
      }
      if (lists.indices[i] < 0 || lists.indices[i] >= dense) {
        return InvalidArgument("Index ", lists.indices[i], " out of range [0, ",
                               dense, ").");
      }
      ++counts[lists.ids[i]];
    }
    // The row of the output for each index, and the number of rows.
    CountedVector<int64_t> row = lists.indices;
    int64_t rows = dense;
    if (rows_ == GradRows::kNamed) {
      CountedVector<int64_t> unique = lists.indices;
      std::sort(unique.begin(), unique.end());
      unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
      rows = static_cast<int64_t>(unique.size());
      for (int64_t& r : row) {
        r = std::lower_bound(unique.begin(), unique.end(), r) - unique.begin();
      }
      MR_ASSIGN_OR_RETURN(Tensor* const list,
                          ctx.AllocateOutput(1, TensorShape({rows})));
      MR_RETURN_IF_ERROR(
          Dispatch(IndexTypes{}, list->dtype(), [&]<class I>() -> Status {
            I* z = list->mutable_flat<I>().data();
            for (int64_t i = 0; i < rows; ++i) z[i] = static_cast<I>(unique[i]);
            return OkStatus();
          }));
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out, AllocateRows(ctx, grad, rows));
    if (out->num_elements() == 0) return OkStatus();
    const int64_t inner = out->num_elements() / rows;
    // The members of each row, in order.
    const CountedVector<int64_t> first = Begins(row, rows);
    CountedVector<int64_t> members(static_cast<size_t>(n)), next = first;
    for (int64_t i = 0; i < n; ++i) members[next[row[i]]++] = i;
    return Dispatch(FloatTypes{}, grad.dtype(), [&]<class T>() -> Status {
      using S = ComputeType<T>;
      const T* dy = grad.flat<T>().data();
      return SumRows<T>(
          ctx, first, out,
          [&](int64_t i, S* sums) {
            const int64_t id = lists.ids[members[i]];
            AddRow(dy + id * inner, static_cast<S>(FactorOf(kind_, counts[id])),
                   sums, inner);
          },
          [](int64_t) { return 1.0; });
    });
  }

 private:
  // Sets the outputs of a gradient without rows, of which stock does not look
  // at the lists.
  Status NoRows(KernelContext& ctx, const Tensor& grad) const {
    if (rows_ == GradRows::kNamed) {
      MR_RETURN_IF_ERROR(ctx.AllocateOutput(1, TensorShape({0})).status());
    }
    return AllocateRows(ctx, grad, 0).status();
  }

  Kind kind_;
  GradRows rows_;
};

template <Kind kKind, GradRows kRows>
struct SparseSegmentGradKernel : SparseSegmentGradBase {
  SparseSegmentGradKernel() : SparseSegmentGradBase(kKind, kRows) {}
};

#define MR_FLOATS "T: bfloat16, double, float, half"

}  // namespace

MR_KERNELS(SparseSegmentSum, Cpu){
    {.types = "T: " MR_REAL_TYPES,
     .make =
         MakeKernel<SparseSegmentKernel<Kind::kSum, NumSegments::kLastId>>}};
MR_KERNELS(SparseSegmentSumWithNumSegments, Cpu){
    {.types = "T: " MR_REAL_TYPES,
     .make = MakeKernel<SparseSegmentKernel<Kind::kSum, NumSegments::kInput>>}};
MR_KERNELS(SparseSegmentMean, Cpu){
    {.types = MR_FLOATS,
     .make =
         MakeKernel<SparseSegmentKernel<Kind::kMean, NumSegments::kLastId>>}};
MR_KERNELS(SparseSegmentMeanWithNumSegments, Cpu){
    {.types = MR_FLOATS,
     .make =
         MakeKernel<SparseSegmentKernel<Kind::kMean, NumSegments::kInput>>}};
MR_KERNELS(SparseSegmentSqrtN, Cpu){
    {.types = MR_FLOATS,
     .make =
         MakeKernel<SparseSegmentKernel<Kind::kSqrtN, NumSegments::kLastId>>}};
MR_KERNELS(SparseSegmentSqrtNWithNumSegments, Cpu){
    {.types = MR_FLOATS,
     .make =
         MakeKernel<SparseSegmentKernel<Kind::kSqrtN, NumSegments::kInput>>}};
MR_KERNELS(SparseSegmentSumGrad, Cpu){
    {.types = MR_FLOATS,
     .make = MakeKernel<SparseSegmentGradKernel<Kind::kSum, GradRows::kAll>>}};
MR_KERNELS(SparseSegmentMeanGrad, Cpu){
    {.types = MR_FLOATS,
     .make = MakeKernel<SparseSegmentGradKernel<Kind::kMean, GradRows::kAll>>}};
MR_KERNELS(SparseSegmentSqrtNGrad, Cpu){
    {.types = MR_FLOATS,
     .make =
         MakeKernel<SparseSegmentGradKernel<Kind::kSqrtN, GradRows::kAll>>}};
MR_KERNELS(SparseSegmentSumGradV2, Cpu){
    {.types = MR_FLOATS,
     .make =
         MakeKernel<SparseSegmentGradKernel<Kind::kSum, GradRows::kNamed>>}};
MR_KERNELS(SparseSegmentMeanGradV2, Cpu){
    {.types = MR_FLOATS,
     .make =
         MakeKernel<SparseSegmentGradKernel<Kind::kMean, GradRows::kNamed>>}};
MR_KERNELS(SparseSegmentSqrtNGradV2, Cpu){
    {.types = MR_FLOATS,
     .make =
         MakeKernel<SparseSegmentGradKernel<Kind::kSqrtN, GradRows::kNamed>>}};

}  // namespace millrace::ops
