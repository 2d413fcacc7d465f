#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/state/variable_lookup.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

// Returns a value that a variable may keep: a view into a message is copied, so
// that a small variable does not hold a large buffer, and so is memory of the
// program.
StatusOr<Tensor> Keepable(KernelContext& ctx, Tensor value) {
  const Buffer* buffer = value.buffer();
  const bool part_of_more =
      buffer != nullptr && buffer->size_bytes() > 2 * value.size_bytes() + 4096;
  const bool aligned = value.address() % kBufferAlignment == 0;
  if (buffer == nullptr || (!part_of_more && aligned && !buffer->is_lent())) {
    return value;
  }
  return value.DeepCopy(value.on_device() ? ctx.device().allocator()
                                          : ctx.device().host_allocator());
}

class AssignKernel {
 public:
  static StatusOr<AssignKernel> Make(const KernelInit& init) {
    AssignKernel k;
    MR_ASSIGN_OR_RETURN(k.validate_, init.Attr<bool>("validate_shape"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    Variable& variable = *ctx.ref_input(0);
    MR_ASSIGN_OR_RETURN(Tensor value, Keepable(ctx, ctx.TakeInput(1)));
    Tensor old;  // freed after the lock is released
    {
      WriterLock lock(variable.mu());
      const TensorShape* const shape = variable.shape_locked();
      if (validate_ && shape != nullptr && !(*shape == value.shape())) {
        return InvalidArgument(
            "Assign requires shapes of both tensors to match. lhs shape= ",
            shape->DebugString(), " rhs shape= ", value.shape().DebugString());
      }
      old = variable.SetLocked(std::move(value));
    }
    ctx.set_output_ref(0, ctx.shared_ref_input(0));
    return OkStatus();
  }

 private:
  bool validate_ = true;
};

class AssignVariableKernel {
 public:
  static StatusOr<AssignVariableKernel> Make(const KernelInit& init) {
    AssignVariableKernel k;
    MR_ASSIGN_OR_RETURN(k.dtype_, init.Attr<DataType>("dtype"));
    MR_ASSIGN_OR_RETURN(k.validate_, init.Attr<bool>("validate_shape"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Ref<Variable> variable,
                        LookupOrCreateVariable(ctx, 0, dtype_));
    if (variable->dtype() != dtype_) {
      return InvalidArgument(
          "Trying to assign variable with wrong dtype. Expected ",
          DataTypeName(variable->dtype()), " got ", DataTypeName(dtype_));
    }
    // The shape of the value that is there counts, and not the declared one.
    const StatusOr<TensorShape> shape = variable->Shape();
    if (validate_ && shape.ok() && !(*shape == ctx.input(1).shape())) {
      return InvalidArgument(
          "Trying to assign to variable with tensor with wrong shape. "
          "Expected ",
          shape->DebugString(), " got ", ctx.input(1).shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(Tensor value, Keepable(ctx, ctx.TakeInput(1)));
    variable->Assign(std::move(value));
    return OkStatus();
  }

 private:
  DataType dtype_ = DataType::kInvalid;
  bool validate_ = false;
};

enum class Change { kAdd, kSubtract };

template <class T, Change kChange>
void UpdateSpan(T* out, const T* in, int64_t n) {
  constexpr bool kAdd = kChange == Change::kAdd;
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, ComputeType<T>>) {
      out[i] = static_cast<T>(kAdd ? out[i] + in[i] : out[i] - in[i]);
    } else {
      const auto a = static_cast<ComputeType<T>>(out[i]);
      const auto b = static_cast<ComputeType<T>>(in[i]);
      out[i] = T(kAdd ? a + b : a - b);
    }
  }
}

// float is the usual type of models, so it has clones by instruction set.
MR_TARGET_CLONES void AddFloats(float* out, const float* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] += in[i];
}
MR_TARGET_CLONES void SubtractFloats(float* out, const float* in, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] -= in[i];
}

template <Change kChange>
Status UpdateVariable(KernelContext& ctx, Variable& variable,
                      const Tensor& value) {
  WriterLock lock(variable.mu());
  MR_RETURN_IF_ERROR(CheckUpdateShape(ctx, variable, value));
  MR_ASSIGN_OR_RETURN(Tensor* const target,
                      variable.MutableLocked(ctx.allocator()));
  return Dispatch(NumericTypes{}, value.dtype(), [&]<class T>() -> Status {
    T* out = target->mutable_flat<T>().data();
    const T* in = value.flat<T>().data();
    ctx.to_end = true;
    return ctx.ParallelFor(
        value.num_elements(), 1, [&](int64_t begin, int64_t end) {
          if constexpr (std::is_same_v<T, float>) {
            (kChange == Change::kAdd ? AddFloats : SubtractFloats)(
                out + begin, in + begin, end - begin);
          } else {
            UpdateSpan<T, kChange>(out + begin, in + begin, end - begin);
          }
        });
  });
}

template <Change kChange>
Status RunUpdateRef(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(
      UpdateVariable<kChange>(ctx, *ctx.ref_input(0), ctx.input(1)));
  ctx.set_output_ref(0, ctx.shared_ref_input(0));
  return OkStatus();
}

template <Change kChange>
Status RunUpdateResource(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Variable> variable, LookupVariable(ctx, 0));
  if (variable->dtype() != ctx.input(1).dtype()) {
    return InvalidArgument(
        "DType of variable handle and value does not match: ",
        DataTypeName(variable->dtype()), " and ",
        DataTypeName(ctx.input(1).dtype()));
  }
  return UpdateVariable<kChange>(ctx, *variable, ctx.input(1));
}

}  // namespace

#define MR_ASSIGN_TYPES                                                   \
  "bfloat16, bool, complex128, complex64, double, float, half, int16, "   \
  "int32, int64, int8, qint32, qint8, quint8, resource, string, uint16, " \
  "uint32, uint64, uint8, variant"
#define MR_UPDATE_TYPES                                                  \
  "bfloat16, complex128, complex64, double, float, half, int16, int32, " \
  "int64, int8, uint16, uint32, uint64, uint8"

MR_KERNELS(Assign, Cpu){{.types = "T: quint16, " MR_ASSIGN_TYPES,
                         .make = MakeKernel<AssignKernel>,
                         .cheap = true}};
MR_KERNELS(AssignVariableOp, Cpu){{.types = "dtype: " MR_ASSIGN_TYPES,
                                   .make = MakeKernel<AssignVariableKernel>,
                                   .host = "resource",
                                   .cheap = true}};
MR_KERNELS(AssignAdd,
           Cpu){{.types = "T: " MR_UPDATE_TYPES,
                 .make = MakeFunctionKernel<RunUpdateRef<Change::kAdd>>}};
MR_KERNELS(AssignSub,
           Cpu){{.types = "T: " MR_UPDATE_TYPES,
                 .make = MakeFunctionKernel<RunUpdateRef<Change::kSubtract>>}};
MR_KERNELS(AssignAddVariableOp,
           Cpu){{.types = "dtype: " MR_UPDATE_TYPES,
                 .make = MakeFunctionKernel<RunUpdateResource<Change::kAdd>>,
                 .host = "resource"}};
MR_KERNELS(AssignSubVariableOp, Cpu){
    {.types = "dtype: " MR_UPDATE_TYPES,
     .make = MakeFunctionKernel<RunUpdateResource<Change::kSubtract>>,
     .host = "resource"}};

}  // namespace millrace::ops
