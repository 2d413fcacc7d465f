#include <algorithm>
#include <concepts>

#include "absl/strings/str_join.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/move.h"
#include "millrace/ops/elementwise/numbers.h"
#include "millrace/ops/indexing/gather_rows.h"
#include "millrace/ops/state/row_updates.h"
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

// One row; `step` is 0 for a scalar that goes to all elements.
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
  // Two loops, for the compiler to make vectors of each.
  if (step == 0) {
    set([&](int64_t) -> const T& { return *updates; });
  } else {
    set([&](int64_t i) -> const T& { return updates[i]; });
  }
}

// Dispatches to the types of a rule; data that is only moved, by its size.
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

// Stock refuses every zero for resources, and for references divides: integers
// then end its process, here they are an error.
template <class T>
Status CheckDivisors(const Tensor& updates, size_t used, bool resource) {
  using S = ComputeType<T>;
  const auto values = updates.flat<T>();
  const auto end = resource ? values.end() : values.begin() + used;
  if (!resource && !std::is_integral_v<T>) return OkStatus();
  if (std::none_of(values.begin(), end,
                   [](T v) { return static_cast<S>(v) == S(0); })) {
    return OkStatus();
  }
  return InvalidArgument(resource ? "updates must not contain 0"
                                  : "Integer division by zero");
}

// "indices[1,0] = 7 is not in [0, 5)".
Status BadIndex(const Tensor& indices, int64_t place, int64_t value,
                int64_t limit) {
  std::vector<int64_t> at(static_cast<size_t>(indices.rank()));
  for (int d = indices.rank() - 1; d >= 0; --d) {
    at[static_cast<size_t>(d)] = place % indices.dim(d);
    place /= indices.dim(d);
  }
  return InvalidArgument(
      "indices",
      at.empty() ? "" : absl::StrCat("[", absl::StrJoin(at, ","), "]"), " = ",
      value, " is not in [0, ", limit, ")");
}

template <ScatterRule kRule>
class ScatterKernel {
 public:
  static StatusOr<ScatterKernel> Make(const KernelInit&) {
    return ScatterKernel();
  }

  Status Run(KernelContext& ctx) const {
    Ref<Variable> variable = ctx.shared_ref_input(0);
    const bool resource = variable == nullptr;
    if (resource) {
      MR_ASSIGN(variable, LookupVariable(ctx, 0));
    }
    MR_RETURN_IF_ERROR(Scatter(ctx, *variable, resource));
    if (ctx.num_outputs() > 0) ctx.set_output_ref(0, std::move(variable));
    return OkStatus();
  }

 private:
  static Status Scatter(KernelContext& ctx, Variable& variable, bool resource) {
    const Tensor& indices = ctx.input(1);
    const Tensor& updates = ctx.input(2);
    if (variable.dtype() != updates.dtype()) {
      return InvalidArgument("the variable has type ",
                             DataTypeName(variable.dtype()), ", the updates ",
                             DataTypeName(updates.dtype()));
    }
    Variable* const pointer = &variable;
    MR_ASSIGN(const VariableRows rows,
              VariableRows::Make({&pointer, 1}, VariableRows::kUpdate,
                                 ctx.device().allocator()));
    const TensorShape& shape = rows.value(0).shape();
    if (shape.rank() == 0) {
      return InvalidArgument("params must be at least 1-D, got shape ",
                             shape.DebugString());
    }
    const int64_t n = shape.NumElements(1, shape.rank());
    const bool scalar = updates.rank() == 0;
    if (!scalar) MR_RETURN_IF_ERROR(CheckUpdates(indices, updates, shape));
    // As in stock, what comes before a bad index is applied.
    const std::vector<int64_t> places = IntValues(indices);
    const size_t count = static_cast<size_t>(
        std::find_if(
            places.begin(), places.end(),
            [&](int64_t row) { return row < 0 || row >= shape.dim(0); }) -
        places.begin());
    return DispatchRule<kRule>(updates.dtype(), [&]<class T>() -> Status {
      if constexpr (kRule == kDiv) {
        const size_t used = scalar ? std::min<size_t>(count, 1)
                                   : count * static_cast<size_t>(n);
        MR_RETURN_IF_ERROR(CheckDivisors<T>(updates, used, resource));
      }
      const T* from = reinterpret_cast<const T*>(updates.data());
      T* to = rows.mutable_elements<T>(0);
      RowUpdates row_updates;
      row_updates.indices = {places.data(), count};
      row_updates.row_bytes = n * static_cast<int64_t>(sizeof(T));
      if (!scalar) row_updates.updates = updates.data();
      row_updates.row_nanos = 5 + n / 4;
      MR_RETURN_IF_ERROR(
          ForEachRow(ctx, rows, row_updates, [&](int64_t row, int64_t i) {
            ScatterRow<kRule>(to + row * n, scalar ? from : from + i * n, n,
                              scalar ? 0 : 1);
          }));
      if (count == places.size()) return OkStatus();
      return BadIndex(indices, static_cast<int64_t>(count), places[count],
                      shape.dim(0));
    });
  }

  static Status CheckUpdates(const Tensor& indices, const Tensor& updates,
                             const TensorShape& variable) {
    DimVector dims = indices.shape().dims();
    for (int d = 1; d < variable.rank(); ++d) dims.push_back(variable.dim(d));
    MR_ASSIGN(const TensorShape expected, TensorShape::Make(dims));
    if (updates.shape() == expected) return OkStatus();
    return InvalidArgument(
        "Must have updates.shape = indices.shape + params.shape[1:] or "
        "updates.shape = [], got updates.shape ",
        updates.shape().DebugString(), ", indices.shape ",
        indices.shape().DebugString(), ", params.shape ",
        variable.DebugString());
  }
};

// Reads under row locks: an embedding table is never copied as a whole.
class ResourceGatherKernel {
  // To find a row in memory.
  static constexpr int64_t kRowNanos = 15;

 public:
  static StatusOr<ResourceGatherKernel> Make(const KernelInit& init) {
    ResourceGatherKernel k;
    MR_ASSIGN(k.dtype_, init.Attr<DataType>("dtype"));
    MR_ASSIGN(k.batch_dims_, init.Attr<int64_t>("batch_dims"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN(const Ref<Variable> variable, LookupVariable(ctx, 0));
    if (variable->dtype() != dtype_) {
      return InvalidArgument(
          "Trying to read variable with wrong dtype. Expected ",
          DataTypeName(variable->dtype()), " got ", DataTypeName(dtype_));
    }
    const Tensor& indices = ctx.input(1);
    Variable* const pointer = variable.get();
    MR_ASSIGN(const VariableRows rows,
              VariableRows::Make({&pointer, 1}, VariableRows::kRead,
                                 ctx.device().allocator()));
    const TensorShape& shape = rows.value(0).shape();
    if (batch_dims_ < 0 || batch_dims_ > indices.rank() ||
        batch_dims_ >= std::max(shape.rank(), 1)) {
      return InvalidArgument("batch_dims ", batch_dims_,
                             " is out of range for params of shape ",
                             shape.DebugString(), " and indices of shape ",
                             indices.shape().DebugString());
    }
    if (shape.rank() == 0) {
      return InvalidArgument("params must be at least 1 dimensional");
    }
    const int batch = static_cast<int>(batch_dims_);
    DimVector dims;
    for (int d = 0; d < batch; ++d) {
      if (indices.dim(d) != shape.dim(d)) {
        return InvalidArgument("params.shape[", d, "]: ", shape.dim(d),
                               " should be equal to indices.shape[", d,
                               "]: ", indices.dim(d));
      }
      dims.push_back(shape.dim(d));
    }
    for (int d = batch; d < indices.rank(); ++d) dims.push_back(indices.dim(d));
    for (int d = batch + 1; d < shape.rank(); ++d) dims.push_back(shape.dim(d));
    MR_ASSIGN(TensorShape result, TensorShape::Make(dims));
    const int64_t batches = shape.NumElements(0, batch);
    const int64_t n = shape.NumElements(batch + 1, shape.rank());
    const int64_t limit = shape.dim(batch);
    const std::vector<int64_t> places = IntValues(indices);
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] < 0 || places[i] >= limit) {
        return BadIndex(indices, static_cast<int64_t>(i), places[i], limit);
      }
    }
    MR_ASSIGN(Tensor* const out, ctx.AllocateOutput(0, std::move(result)));
    // Locks go by the variable's rows, which are those of dimension 0.
    const int64_t row_elements = shape.NumElements(1, shape.rank());
    if (out->num_elements() == 0) return OkStatus();
    const int64_t count = static_cast<int64_t>(places.size()) / batches;
    const auto start = [&](int64_t i) {
      return (i / count * limit + places[static_cast<size_t>(i)]) * n;
    };
    return DispatchBySize(dtype_, [&]<class T>() -> Status {
      const T* from = reinterpret_cast<const T*>(rows.value(0).data());
      T* to = reinterpret_cast<T*>(out->mutable_data());
      return ctx.ParallelFor(
          static_cast<int64_t>(places.size()), MoveCost(dtype_, n) + kRowNanos,
          [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              if (i + kGatherAhead < end) {
                AskForSlice(from + start(i + kGatherAhead),
                            n * static_cast<int64_t>(sizeof(T)));
              }
              const auto lock = rows.Lock(start(i) / row_elements);
              std::copy_n(from + start(i), n, to + i * n);
            }
          });
    });
  }

 private:
  DataType dtype_ = DataType::kInvalid;
  int64_t batch_dims_ = 0;
};

#define MR_GATHER_TYPES                                                        \
  "dtype: bfloat16, bool, complex128, complex64, double, float, half, int16, " \
  "int32, int64, int8, qint32, qint8, quint8, resource, string, uint16, "      \
  "uint32, uint64, uint8, variant; Tindices: int32, int64"

}  // namespace

MR_KERNELS(ResourceGather, Cpu){{.types = MR_GATHER_TYPES,
                                 .make = MakeKernel<ResourceGatherKernel>,
                                 .host = "resource"}};

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
