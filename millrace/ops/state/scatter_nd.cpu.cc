
#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/indexing/accumulate.h"
#include "millrace/ops/indexing/nd_index.h"
#include "millrace/ops/state/sparse_updates.h"
#include "millrace/ops/state/variable_lookup.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// The updates of a variable, each of one slice within one row of dimension 0.
struct SliceUpdates {
  CountedVector<int64_t> rows;     // of the variable
  CountedVector<int64_t> offsets;  // of the slice's first element
  CountedVector<int64_t> sources;  // numbers of slices of the updates
  int64_t bad = -1;                // the last row of indices that is outside
};

SliceUpdates PlanUpdates(const NdIndex& index, BadIndices policy,
                         int64_t row_elements) {
  SliceUpdates plan;
  index.ForEach(0, index.rows(), [&](int64_t r, int64_t offset) {
    if (offset < 0) {
      if (policy == BadIndices::kError) plan.bad = r;
      return;
    }
    plan.rows.push_back(offset / row_elements);
    plan.offsets.push_back(offset);
    plan.sources.push_back(r);
  });
  return plan;
}

template <ScatterHow kHow>
class ScatterNdVariableKernel {
 public:
  static StatusOr<ScatterNdVariableKernel> Make(const KernelInit& init) {
    ScatterNdVariableKernel k;
    MR_ASSIGN_OR_RETURN(k.policy_, BadIndicesPolicy(init.node().attrs));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Ref<Variable> variable, VariableAt(ctx, 0));
    MR_RETURN_IF_ERROR(Scatter(ctx, *variable));
    if (ctx.num_outputs() > 0) ctx.set_output_ref(0, std::move(variable));
    return OkStatus();
  }

 private:
  Status Scatter(KernelContext& ctx, Variable& variable) const {
    const Tensor& updates = ctx.input(2);
    if (variable.dtype() != updates.dtype()) {
      return InvalidArgument("the variable has type ",
                             DataTypeName(variable.dtype()), ", the updates ",
                             DataTypeName(updates.dtype()));
    }
    Variable* const pointer = &variable;
    MR_ASSIGN_OR_RETURN(const VariableRows rows,
                        VariableRows::Make({&pointer, 1}, VariableRows::kUpdate,
                                           ctx.allocator()));
    const TensorShape& shape = rows.value(0).shape();
    Tensor indices;
    MR_RETURN_IF_ERROR(CheckScatter(ctx.input(1), updates, shape, &indices));
    if (updates.num_elements() == 0) return OkStatus();
    const NdIndex index(indices, shape);
    const int64_t row_elements = shape.NumElements(1, shape.rank());
    // As in stock, a bad index leaves the other updates, which are applied.
    const SliceUpdates plan = PlanUpdates(index, policy_, row_elements);
    const auto scatter = [&]<class T>() -> Status {
      return ScatterRows<T>(ctx, rows, index, plan, updates, row_elements);
    };
    if constexpr (kHow == ScatterHow::kUpdate) {
      MR_RETURN_IF_ERROR(DispatchBySize(updates.dtype(), scatter));
    } else {
      MR_RETURN_IF_ERROR(Dispatch(Join<NumericTypes, Types<bool>>{},
                                  updates.dtype(), scatter));
    }
    return plan.bad < 0 ? OkStatus() : OutsideOf(shape, index, plan.bad);
  }

  template <class T>
  static Status ScatterRows(KernelContext& ctx, const VariableRows& rows,
                            const NdIndex& index, const SliceUpdates& plan,
                            const Tensor& updates, int64_t row_elements) {
    const T* from = reinterpret_cast<const T*>(updates.data());
    T* to = rows.mutable_elements<T>(0);
    const int64_t slice = index.slice();
    SparseUpdates sparse;
    sparse.indices = plan.rows;
    sparse.row_bytes = row_elements * static_cast<int64_t>(sizeof(T));
    if (slice == row_elements) sparse.updates = updates.data();
    sparse.row_nanos = 5 + slice / 4;
    return ForEachRow(ctx, rows, sparse, [&](int64_t, int64_t i) {
      const auto at = static_cast<size_t>(i);
      ScatterSlice<kHow, T>(to + plan.offsets[at],
                            from + plan.sources[at] * slice, slice);
    });
  }

  BadIndices policy_ = BadIndices::kError;
};

using NdUpdate = ScatterNdVariableKernel<ScatterHow::kUpdate>;
using NdAdd = ScatterNdVariableKernel<ScatterHow::kAdd>;
using NdSubtract = ScatterNdVariableKernel<ScatterHow::kSubtract>;

#define MR_ND_INDICES "; Tindices: int32, int64"

}  // namespace

MR_KERNELS(ScatterNdUpdate,
           Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES MR_ND_INDICES,
                 .make = MakeKernel<NdUpdate>}};
MR_KERNELS(ScatterNdAdd, Cpu){
    {.types = "T: " MR_NUMBER_TYPES MR_ND_INDICES, .make = MakeKernel<NdAdd>}};
MR_KERNELS(ScatterNdSub, Cpu){{.types = "T: " MR_NUMBER_TYPES MR_ND_INDICES,
                               .make = MakeKernel<NdSubtract>}};
MR_KERNELS(ResourceScatterNdUpdate,
           Cpu){{.types = "T: " MR_PLAIN_AND_STRING_TYPES MR_ND_INDICES,
                 .make = MakeKernel<NdUpdate>,
                 .host = "ref"}};
MR_KERNELS(ResourceScatterNdAdd,
           Cpu){{.types = "T: " MR_PLAIN_TYPES MR_ND_INDICES,
                 .make = MakeKernel<NdAdd>,
                 .host = "ref"}};
MR_KERNELS(ResourceScatterNdSub,
           Cpu){{.types = "T: " MR_PLAIN_TYPES MR_ND_INDICES,
                 .make = MakeKernel<NdSubtract>,
                 .host = "ref"}};

}  // namespace millrace::ops
