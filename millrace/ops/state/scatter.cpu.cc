#include <algorithm>
#include <concepts>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/state/row_index.h"
#include "millrace/ops/state/sparse_updates.h"
#include "millrace/ops/state/variable_lookup.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

enum ScatterRule { kUpdate, kAdd, kSub, kMul, kDiv, kMin, kMax };

template <ScatterRule kRule, class S>
S Combine(S a, S b) {
  if constexpr (kRule == kAdd) return Plus<S>(a, b);
  if constexpr (kRule == kSub) return Minus<S>(a, b);
  if constexpr (kRule == kMul) return Times<S>(a, b);
  if constexpr (kRule == kDiv && std::integral<S>) return Quotient<S>(a, b);
  if constexpr (kRule == kDiv && !std::integral<S>) return a / b;
  if constexpr (kRule == kMin) return std::min(a, b);
  if constexpr (kRule == kMax) return std::max(a, b);
  return b;
}

// Updates one row; `step` is 0 for a scalar that is applied to all elements.
template <ScatterRule kRule, class T>
void ScatterRow(T* row, const T* updates, int64_t n, int step) {
  const auto set = [row, n](auto&& update) {
    if constexpr (kRule == kUpdate) {
      for (int64_t i = 0; i < n; ++i) row[i] = update(i);
    } else {
      using S = ComputeType<T>;
      for (int64_t i = 0; i < n; ++i) {
        row[i] = static_cast<T>(Combine<kRule, S>(static_cast<S>(row[i]),
                                                  static_cast<S>(update(i))));
      }
    }
  };
  // There are two loops, so that the compiler vectorizes each.
  if (step == 0) {
    set([&](int64_t) -> const T& { return *updates; });
  } else {
    set([&](int64_t i) -> const T& { return updates[i]; });
  }
}

// Dispatches to the types of a rule; data that is only moved is dispatched by
// size.
template <ScatterRule kRule, class F>
Status DispatchRule(DataType type, F&& f) {
  if constexpr (kRule == kUpdate) {
    return DispatchBySize(type, f);
  } else if constexpr (kRule == kMin || kRule == kMax) {
    return Dispatch(RealTypes{}, type, f);
  } else {
    return Dispatch(NumericTypes{}, type, f);
  }
}

// Checks the first `used` updates, by which elements are divided. For resources
// stock refuses every zero; for references it divides, and integers then end
// its process. Here that is an error.
template <class T>
Status CheckDivisors(KernelContext& ctx, size_t used) {
  const bool resource = ctx.ref_input(0) == nullptr;
  using S = ComputeType<T>;
  const auto values = ctx.input(2).flat<T>();
  const auto end = resource ? values.end() : values.begin() + used;
  if (!resource && !std::is_integral_v<T>) return OkStatus();
  if (std::none_of(values.begin(), end,
                   [](T v) { return static_cast<S>(v) == S(0); })) {
    return OkStatus();
  }
  return InvalidArgument(resource ? "updates must not contain 0"
                                  : "Integer division by zero");
}

template <ScatterRule kRule>
class ScatterKernel {
 public:
  static StatusOr<ScatterKernel> Make(const KernelInit&) {
    return ScatterKernel();
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Ref<Variable> variable, VariableAt(ctx, 0));
    MR_RETURN_IF_ERROR(Scatter(ctx, *variable));
    if (ctx.num_outputs() > 0) ctx.set_output_ref(0, std::move(variable));
    return OkStatus();
  }

 private:
  static Status Scatter(KernelContext& ctx, Variable& variable) {
    const Tensor& indices = ctx.input(1);
    const Tensor& updates = ctx.input(2);
    if (variable.dtype() != updates.dtype()) {
      return InvalidArgument(
          "DType of scatter resource and updates does not match: ",
          DataTypeName(variable.dtype()), " and ",
          DataTypeName(updates.dtype()));
    }
    Variable* const pointer = &variable;
    MR_ASSIGN_OR_RETURN(const VariableRows rows,
                        VariableRows::Make({&pointer, 1}, VariableRows::kUpdate,
                                           ctx.allocator()));
    const TensorShape& shape = rows.value(0).shape();
    MR_RETURN_IF_ERROR(
        CheckRowUpdates(ctx.ref_input(0) == nullptr, indices, updates, shape));
    const int64_t n = shape.NumElements(1, shape.rank());
    const bool scalar = updates.rank() == 0;
    // As in stock, the updates before a bad index are applied.
    const CountedVector<int64_t> places = ManyIntValues(indices);
    const size_t count = static_cast<size_t>(
        std::find_if(
            places.begin(), places.end(),
            [&](int64_t row) { return row < 0 || row >= shape.dim(0); }) -
        places.begin());
    return DispatchRule<kRule>(updates.dtype(), [&]<class T>() -> Status {
      if constexpr (kRule == kDiv) {
        const size_t used = scalar ? std::min<size_t>(count, 1)
                                   : count * static_cast<size_t>(n);
        MR_RETURN_IF_ERROR(CheckDivisors<T>(ctx, used));
      }
      const T* from = reinterpret_cast<const T*>(updates.data());
      T* to = rows.mutable_elements<T>(0);
      SparseUpdates sparse_updates;
      sparse_updates.indices = {places.data(), count};
      sparse_updates.row_bytes = n * static_cast<int64_t>(sizeof(T));
      if (!scalar) sparse_updates.updates = updates.data();
      sparse_updates.row_nanos = 5 + n / 4;
      MR_RETURN_IF_ERROR(
          ForEachRow(ctx, rows, sparse_updates, [&](int64_t row, int64_t i) {
            ScatterRow<kRule>(to + row * n, scalar ? from : from + i * n, n,
                              scalar ? 0 : 1);
          }));
      if (count == places.size()) return OkStatus();
      return BadRowIndex(indices, static_cast<int64_t>(count), places[count],
                         shape.dim(0));
    });
  }
};

}  // namespace

#define MR_INDEX_TYPES "; Tindices: int32, int64"
#define MR_NUMBERS                                                       \
  "bfloat16, complex128, complex64, double, float, half, int16, int32, " \
  "int64, int8, uint16, uint32, uint64, uint8" MR_INDEX_TYPES
#define MR_REALS                                                               \
  "bfloat16, double, float, half, int16, int32, int64, int8, uint16, uint32, " \
  "uint64, uint8" MR_INDEX_TYPES
MR_KERNELS(ScatterAdd, Cpu){
    {.types = "T: " MR_NUMBERS, .make = MakeKernel<ScatterKernel<kAdd>>}};
MR_KERNELS(ResourceScatterAdd, Cpu){{.types = "dtype: " MR_NUMBERS,
                                     .make = MakeKernel<ScatterKernel<kAdd>>,
                                     .host = "resource"}};
MR_KERNELS(ScatterSub, Cpu){
    {.types = "T: " MR_NUMBERS, .make = MakeKernel<ScatterKernel<kSub>>}};
MR_KERNELS(ResourceScatterSub, Cpu){{.types = "dtype: " MR_NUMBERS,
                                     .make = MakeKernel<ScatterKernel<kSub>>,
                                     .host = "resource"}};
MR_KERNELS(ScatterMul, Cpu){
    {.types = "T: " MR_NUMBERS, .make = MakeKernel<ScatterKernel<kMul>>}};
MR_KERNELS(ResourceScatterMul, Cpu){{.types = "dtype: " MR_NUMBERS,
                                     .make = MakeKernel<ScatterKernel<kMul>>,
                                     .host = "resource"}};
MR_KERNELS(ScatterDiv, Cpu){
    {.types = "T: " MR_NUMBERS, .make = MakeKernel<ScatterKernel<kDiv>>}};
MR_KERNELS(ResourceScatterDiv, Cpu){{.types = "dtype: " MR_NUMBERS,
                                     .make = MakeKernel<ScatterKernel<kDiv>>,
                                     .host = "resource"}};
MR_KERNELS(ScatterMin, Cpu){
    {.types = "T: "
              "bfloat16, double, float, half, int32, int64" MR_INDEX_TYPES,
     .make = MakeKernel<ScatterKernel<kMin>>}};
MR_KERNELS(ResourceScatterMin, Cpu){{.types = "dtype: " MR_REALS,
                                     .make = MakeKernel<ScatterKernel<kMin>>,
                                     .host = "resource"}};
MR_KERNELS(ScatterMax, Cpu){
    {.types = "T: "
              "bfloat16, double, float, half, int32, int64" MR_INDEX_TYPES,
     .make = MakeKernel<ScatterKernel<kMax>>}};
MR_KERNELS(ResourceScatterMax, Cpu){{.types = "dtype: " MR_REALS,
                                     .make = MakeKernel<ScatterKernel<kMax>>,
                                     .host = "resource"}};
MR_KERNELS(ScatterUpdate, Cpu){
    {.types = "T: bfloat16, bool, complex128, complex64, double, float, half, "
              "int16, int32, int64, int8, string, uint16, uint32, uint64, "
              "uint8, variant, resource" MR_INDEX_TYPES,
     .make = MakeKernel<ScatterKernel<kUpdate>>}};
MR_KERNELS(ResourceScatterUpdate, Cpu){
    {.types = "dtype: bfloat16, bool, complex128, complex64, double, float, "
              "half, int16, int32, int64, int8, string, uint16, uint32, "
              "uint64, uint8, variant" MR_INDEX_TYPES,
     .make = MakeKernel<ScatterKernel<kUpdate>>,
     .host = "resource"}};

}  // namespace millrace::ops
