// Kernels that concatenate, split and slice sparse tensors.
#include <algorithm>
#include <limits>
#include <vector>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/sparse/checks/concat.h"
#include "millrace/ops/sparse/checks/slice.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

class SparseConcatKernel {
 public:
  static StatusOr<SparseConcatKernel> Make(const KernelInit& init) {
    SparseConcatKernel k;
    MR_ASSIGN_OR_RETURN(k.axis_, init.Attr<int32_t>("concat_dim"));
    MR_ASSIGN_OR_RETURN(k.n_, init.Attr<int64_t>("N"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const SparseConcatPlan plan,
                        PlanSparseConcat(ctx, axis_, n_));
    const int n = static_cast<int>(n_);
    std::vector<SparseEntries> parts;
    for (int i = 0; i < n; ++i) {
      MR_ASSIGN_OR_RETURN(const SparseEntries part,
                          ReadEntries(ctx.input(i), ctx.input(i + n),
                                      ctx.input(i + 2 * n), {}));
      parts.push_back(part);
    }
    return Join(ctx, parts, plan.axis, plan.dims, plan.total);
  }

 private:
  Status Join(KernelContext& ctx, const std::vector<SparseEntries>& parts,
              int axis, const DimVector& dims, int64_t total) const {
    const int rank = parts[0].rank;
    CountedVector<int64_t> coordinates(static_cast<size_t>(total * rank));
    MR_ASSIGN_OR_RETURN(
        Tensor joined,
        ctx.AllocateTemp(parts[0].values->dtype(), TensorShape({total})));
    int64_t* z = coordinates.data();
    int64_t offset = 0;
    int64_t at = 0;
    for (const SparseEntries& part : parts) {
      for (int64_t i = 0; i < part.count; ++i, z += rank) {
        std::copy_n(part.at(i), rank, z);
        // Coordinates are not checked; the sum wraps around.
        z[axis] = static_cast<int64_t>(static_cast<uint64_t>(z[axis]) +
                                       static_cast<uint64_t>(offset));
      }
      CopyElements(joined.dtype(), part.values->data(), 0,
                   joined.mutable_data(), at, part.count);
      at += part.count;
      offset += part.dims[axis];
    }
    SparseEntries all;
    all.coordinates = coordinates.data();
    all.count = total;
    all.rank = rank;
    const CountedVector<int64_t> order = RowMajorOrder(all);
    MR_ASSIGN_OR_RETURN(const EntriesOutput out,
                        AllocateEntries(ctx, 0, 1, total, rank));
    GatherCoordinates(all, order, out.coordinates);
    MR_RETURN_IF_ERROR(GatherValues(joined, order, out.values));
    return SetVector(ctx, 2, dims);
  }

  int64_t axis_ = 0;
  int64_t n_ = 0;
};

// The parts of a dimension: the first `longer` ones have one more than `size`.
struct Cut {
  int64_t size = 0;
  int64_t longer = 0;

  int64_t PartOf(int64_t at) const {
    const int64_t edge = longer * (size + 1);
    return at < edge ? at / (size + 1) : longer + (at - edge) / size;
  }
  int64_t Begin(int64_t part) const {
    return part * size + std::min(part, longer);
  }
  int64_t Size(int64_t part) const { return size + (part < longer ? 1 : 0); }
};

class SparseSplitKernel {
 public:
  static StatusOr<SparseSplitKernel> Make(const KernelInit& init) {
    SparseSplitKernel k;
    MR_ASSIGN_OR_RETURN(k.n_, init.Attr<int64_t>("num_split"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    if (ctx.input(0).rank() != 0) {
      return InvalidArgument(
          "Input axis should be a scalar but received shape ",
          ctx.input(0).shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(
        const SparseEntries in,
        ReadEntries(ctx, 1, {PartWords::kInput, SizeWords::kSparse}));
    MR_RETURN_IF_ERROR(CheckTuples(in));
    MR_RETURN_IF_ERROR(DenseShape(in.dims).status());
    const int64_t given = ctx.input(0).scalar<int64_t>();
    const int64_t axis = given < 0 ? given + in.rank : given;
    if (axis < 0 || axis >= in.rank) {
      return InvalidArgument("Input axis should be in range [", -in.rank, ", ",
                             in.rank, "), got ", given);
    }
    const int64_t along = in.dims[axis];
    if (n_ < 1 || n_ > along) {
      return InvalidArgument(
          "Input num_split should be between 1 and the splitting dimension "
          "size (",
          along, "), got ", n_);
    }
    const Cut cut{along / n_, along % n_};
    std::vector<CountedVector<int64_t>> members(static_cast<size_t>(n_));
    for (int64_t i = 0; i < in.count; ++i) {
      const int64_t at = in.at(i)[axis];
      members[static_cast<size_t>(cut.PartOf(at))].push_back(i);
    }
    const int n = static_cast<int>(n_);
    for (int p = 0; p < n; ++p) {
      const CountedVector<int64_t>& order = members[static_cast<size_t>(p)];
      MR_ASSIGN_OR_RETURN(
          const EntriesOutput out,
          AllocateEntries(ctx, p, n + p, static_cast<int64_t>(order.size()),
                          in.rank));
      GatherCoordinates(in, order, out.coordinates);
      for (size_t i = 0; i < order.size(); ++i) {
        out.coordinates[static_cast<int64_t>(i) * in.rank + axis] -=
            cut.Begin(p);
      }
      MR_RETURN_IF_ERROR(GatherValues(*in.values, order, out.values));
      DimVector dims(in.dims.begin(), in.dims.end());
      dims[static_cast<size_t>(axis)] = cut.Size(p);
      MR_RETURN_IF_ERROR(SetVector(ctx, 2 * n + p, dims));
    }
    return OkStatus();
  }

 private:
  int64_t n_ = 1;
};

Status RunSparseSlice(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const SparseEntries in,
                      ReadEntries(ctx, 0, kSparseWords));
  MR_ASSIGN_OR_RETURN(const SparseSlicePlan plan, PlanSparseSlice(ctx));
  const auto start = ctx.input(3).flat<int64_t>();
  CountedVector<int64_t> inside;
  for (int64_t i = 0; i < in.count; ++i) {
    const int64_t* const row = in.at(i);
    bool hit = true;
    for (size_t d = 0; d < start.size() && hit; ++d) {
      hit = row[d] >= start[d] && row[d] < plan.ends[d];
    }
    if (hit) inside.push_back(i);
  }
  MR_ASSIGN_OR_RETURN(
      const EntriesOutput out,
      AllocateEntries(ctx, 0, 1, static_cast<int64_t>(inside.size()), in.rank));
  GatherCoordinates(in, inside, out.coordinates);
  int64_t* z = out.coordinates;
  for (size_t i = 0; i < inside.size(); ++i) {
    for (const int64_t s : start) *z++ -= s;
  }
  MR_RETURN_IF_ERROR(GatherValues(*in.values, inside, out.values));
  return SetVector(ctx, 2, plan.dims);
}

Status RunSparseSliceGrad(KernelContext& ctx) {
  const Tensor& grad = ctx.input(0);
  const Tensor& input = ctx.input(1);
  const Tensor& start = ctx.input(2);
  const Tensor& output = ctx.input(3);
  if (grad.rank() != 1) {
    return InvalidArgument(
        "Input backprop_val_grad should be a vector but received shape: ",
        grad.shape().DebugString());
  }
  if (input.rank() != 2 || output.rank() != 2) {
    return InvalidArgument(
        "Input and output indices should be matrices but received shapes: ",
        input.shape().DebugString(), " and ", output.shape().DebugString());
  }
  const int64_t rank = input.dim(1);
  if (output.dim(1) != rank) {
    return InvalidArgument(
        "The input and output should have the same ndims: got: ", rank, " and ",
        output.dim(1));
  }
  if (grad.dim(0) != output.dim(0)) {
    return InvalidArgument(
        "# elements of backprop_val_grad and # rows of output_indices should "
        "match (#nnz of sum): got ",
        grad.dim(0), " and ", output.dim(0));
  }
  MR_RETURN_IF_ERROR(
      CheckSliceLength(start, "The input_start", "input_start",
                       static_cast<int>(std::min<int64_t>(
                           rank, std::numeric_limits<int>::max()))));
  if (output.dim(0) > input.dim(0)) {
    return InvalidArgument(
        "# rows of output_indices should be not greater than of "
        "input_indices, got ",
        output.dim(0), " and ", input.dim(0));
  }
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, TensorShape({input.dim(0)})));
  MR_RETURN_IF_ERROR(ZeroTensor(ctx, out));
  // Both lists keep the order of the input's entries.
  const int64_t* x = input.flat<int64_t>().data();
  const int64_t* y = output.flat<int64_t>().data();
  const int64_t* const begin = start.flat<int64_t>().data();
  CountedVector<int64_t> from;  // for each entry taken, in order
  for (int64_t i = 0;
       i < input.dim(0) && static_cast<int64_t>(from.size()) < output.dim(0);
       ++i, x += rank) {
    bool same = true;
    for (int64_t d = 0; d < rank && same; ++d) {
      same = static_cast<uint64_t>(x[d]) - static_cast<uint64_t>(begin[d]) ==
             static_cast<uint64_t>(y[d]);
    }
    if (!same) continue;
    from.push_back(i);
    y += rank;
  }
  if (static_cast<int64_t>(from.size()) != grad.dim(0)) {
    return Internal(
        "Elements of backprop_val_grad aren't all propagated. Num elements:",
        grad.dim(0), ", used: ", from.size());
  }
  return DispatchBySize(grad.dtype(), [&]<class T>() -> Status {
    const T* const dy = reinterpret_cast<const T*>(grad.data());
    T* const z = reinterpret_cast<T*>(out->mutable_data());
    for (size_t j = 0; j < from.size(); ++j) z[from[j]] = dy[j];
    return OkStatus();
  });
}

}  // namespace

MR_KERNELS(SparseConcat, Cpu){
    {.types = "T: " MR_ELEMENT_TYPES, .make = MakeKernel<SparseConcatKernel>}};
MR_KERNELS(SparseSplit, Cpu){
    {.types = "T: " MR_ELEMENT_TYPES, .make = MakeKernel<SparseSplitKernel>}};
MR_KERNELS(SparseSlice, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                              .make = MakeFunctionKernel<RunSparseSlice>}};
MR_KERNELS(SparseSliceGrad,
           Cpu){{.types = "T: " MR_NUMBER_TYPES,
                 .make = MakeFunctionKernel<RunSparseSliceGrad>}};

}  // namespace millrace::ops
