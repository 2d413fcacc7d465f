#include <algorithm>
#include <vector>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/sparse/entries.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

enum class Reduction { kSum, kMax };

// The dimensions that are kept, and the result's shape.
struct ReducePlan {
  std::vector<int> kept;
  std::vector<int> order;  // all dimensions, kept ones first
  DimVector dims;
  bool keep_dims = false;
};

// Requires each of the axes to be one of a tensor of this rank.
Status CheckAxes(const Tensor& axes, int64_t rank) {
  if (axes.rank() > 1) {
    return InvalidArgument(
        "Expected reduction_axes to be a scalar or a vector; got shape: ",
        axes.shape().DebugString());
  }
  for (const int32_t axis : axes.flat<int32_t>()) {
    if (axis < -rank || axis >= rank) {
      return InvalidArgument("Invalid reduction dimension ", axis,
                             ", for input with ", rank, " dimensions.");
    }
  }
  return OkStatus();
}

ReducePlan PlanReduce(const SparseEntries& in, const Tensor& axes,
                      bool keep_dims) {
  std::vector<bool> reduced(static_cast<size_t>(in.rank));
  for (const int32_t axis : axes.flat<int32_t>()) {
    reduced[static_cast<size_t>(axis < 0 ? axis + in.rank : axis)] = true;
  }
  ReducePlan plan;
  plan.keep_dims = keep_dims;
  for (int d = 0; d < in.rank; ++d) {
    if (!reduced[d]) plan.kept.push_back(d);
    if (!reduced[d] || keep_dims) {
      plan.dims.push_back(reduced[d] ? 1 : in.dims[d]);
    }
  }
  plan.order = plan.kept;
  for (int d = 0; d < in.rank; ++d) {
    if (reduced[d]) plan.order.push_back(d);
  }
  return plan;
}

template <Reduction kReduction, class T>
T ReduceGroup(const T* values, absl::Span<const int64_t> group) {
  using S = ComputeType<T>;
  S result = static_cast<S>(values[group[0]]);
  for (const int64_t i : group.subspan(1)) {
    if constexpr (kReduction == Reduction::kSum) {
      result = Plus<S>(result, static_cast<S>(values[i]));
    } else {
      result = Larger<S>(result, static_cast<S>(values[i]));
    }
  }
  return static_cast<T>(result);
}

template <Reduction kReduction, bool kSparse>
class SparseReduceKernel {
 public:
  static StatusOr<SparseReduceKernel> Make(const KernelInit& init) {
    SparseReduceKernel k;
    MR_ASSIGN_OR_RETURN(k.keep_dims_, init.Attr<bool>("keep_dims"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    if (ctx.input(2).rank() != 1) {
      return InvalidArgument("Expected input_shape to be a vector; got shape: ",
                             ctx.input(2).shape().DebugString());
    }
    MR_RETURN_IF_ERROR(CheckAxes(ctx.input(3), ctx.input(2).dim(0)));
    MR_ASSIGN_OR_RETURN(const SparseEntries in,
                        ReadEntries(ctx, 0, kTensorWords));
    MR_RETURN_IF_ERROR(DenseShape(in.dims).status());
    const ReducePlan plan = PlanReduce(in, ctx.input(3), keep_dims_);
    const CountedVector<int64_t> order = OrderBy(in, plan.order);
    // The ends of the groups in `order`: a group has equal kept coordinates.
    CountedVector<size_t> ends;
    for (size_t i = 1; i <= order.size(); ++i) {
      if (i == order.size() || !SameGroup(in, plan, order[i - 1], order[i])) {
        ends.push_back(i);
      }
    }
    if constexpr (kSparse) return RunSparse(ctx, in, plan, order, ends);
    return RunDense(ctx, in, plan, order, ends);
  }

 private:
  using Values = std::conditional_t<kReduction == Reduction::kSum, NumericTypes,
                                    RealTypes>;

  static bool SameGroup(const SparseEntries& in, const ReducePlan& plan,
                        int64_t a, int64_t b) {
    return std::all_of(plan.kept.begin(), plan.kept.end(),
                       [&](int d) { return in.at(a)[d] == in.at(b)[d]; });
  }

  // The result of a group is written to z[places[group]], or z[group].
  static Status ReduceGroups(const SparseEntries& in,
                             absl::Span<const int64_t> order,
                             absl::Span<const size_t> ends,
                             absl::Span<const int64_t> places, Tensor* out) {
    return Dispatch(Values{}, out->dtype(), [&]<class T>() -> Status {
      const T* const x = in.values->flat<T>().data();
      T* const z = out->mutable_flat<T>().data();
      size_t begin = 0;
      for (size_t g = 0; g < ends.size(); begin = ends[g++]) {
        z[places.empty() ? static_cast<int64_t>(g) : places[g]] =
            ReduceGroup<kReduction>(x, order.subspan(begin, ends[g] - begin));
      }
      return OkStatus();
    });
  }

  static Status RunDense(KernelContext& ctx, const SparseEntries& in,
                         const ReducePlan& plan,
                         const CountedVector<int64_t>& order,
                         const CountedVector<size_t>& ends) {
    DimVector kept_dims;
    for (const int d : plan.kept) kept_dims.push_back(in.dims[d]);
    const DimVector strides = RowMajorStrides(kept_dims);
    CountedVector<int64_t> places;
    for (const size_t end : ends) {
      const int64_t entry = order[end - 1];
      int64_t place = 0;
      for (size_t k = 0; k < plan.kept.size(); ++k) {
        const int64_t at = in.at(entry)[plan.kept[k]];
        if (at < 0 || at >= kept_dims[k]) {
          const Status where = OutOfBounds(
              entry, {in.at(entry), static_cast<size_t>(in.rank)}, in.dims);
          return Internal("Obtained a write index of ", at,
                          " which is outside of bounds of [0, ", kept_dims[k],
                          "): ", where.message());
        }
        place += at * strides[k];
      }
      places.push_back(place);
    }
    MR_ASSIGN_OR_RETURN(const TensorShape shape, TensorShape::Make(plan.dims));
    MR_ASSIGN_OR_RETURN(Tensor* const out, ctx.AllocateOutput(0, shape));
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
    // With a kept dimension of size 0 there is no group; with a reduced one
    // there is one element.
    return ReduceGroups(in, order, ends, places, out);
  }

  static Status RunSparse(KernelContext& ctx, const SparseEntries& in,
                          const ReducePlan& plan,
                          const CountedVector<int64_t>& order,
                          const CountedVector<size_t>& ends) {
    const auto rank = static_cast<int64_t>(plan.dims.size());
    MR_ASSIGN_OR_RETURN(
        const EntriesOutput out,
        AllocateEntries(ctx, 0, 1, static_cast<int64_t>(ends.size()), rank));
    int64_t* z = out.coordinates;
    for (const size_t end : ends) {
      const int64_t* const row = in.at(order[end - 1]);
      std::fill_n(z, rank, 0);
      for (size_t k = 0; k < plan.kept.size(); ++k) {
        const int d = plan.kept[k];
        z[plan.keep_dims ? static_cast<size_t>(d) : k] = row[d];
      }
      z += rank;
    }
    MR_RETURN_IF_ERROR(ReduceGroups(in, order, ends, {}, out.values));
    return SetVector(ctx, 2, plan.dims);
  }

  bool keep_dims_ = false;
};

}  // namespace

MR_KERNELS(SparseReduceSum, Cpu){
    {.types = "T: " MR_NUMBER_TYPES,
     .make = MakeKernel<SparseReduceKernel<Reduction::kSum, false>>}};
MR_KERNELS(SparseReduceSumSparse, Cpu){
    {.types = "T: " MR_NUMBER_TYPES,
     .make = MakeKernel<SparseReduceKernel<Reduction::kSum, true>>}};
MR_KERNELS(SparseReduceMax, Cpu){
    {.types = "T: " MR_REAL_TYPES,
     .make = MakeKernel<SparseReduceKernel<Reduction::kMax, false>>}};
MR_KERNELS(SparseReduceMaxSparse, Cpu){
    {.types = "T: " MR_REAL_TYPES,
     .make = MakeKernel<SparseReduceKernel<Reduction::kMax, true>>}};

}  // namespace millrace::ops
