#include <utility>
#include <vector>

#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"

namespace millrace::ops {
namespace {

// A stack of tensors. Its handle holds the only reference, so it is freed with
// the handle at the end of the step.
class Stack final : public RefCounted {
 public:
  Stack(std::string name, DataType type, int64_t limit)
      : name_(std::move(name)), type_(type), limit_(limit) {}

  Status Push(Tensor value) {
    MutexLock lock(mu_);
    if (closed_) return InvalidArgument("Stack[", name_, "] has been closed.");
    if (value.dtype() != type_) {
      return InvalidArgument("Must have type ", DataTypeName(type_),
                             " but got ", DataTypeName(value.dtype()));
    }
    if (limit_ >= 0 && static_cast<int64_t>(values_.size()) >= limit_) {
      return InvalidArgument("Stack[", name_, "] overflowed its max_size (",
                             limit_, ")");
    }
    values_.push_back(std::move(value));
    return OkStatus();
  }

  StatusOr<Tensor> Pop(DataType type) {
    MutexLock lock(mu_);
    if (closed_) return InvalidArgument("Stack[", name_, "] has been closed.");
    if (type != type_) {
      return InvalidArgument("Must have type ", DataTypeName(type_),
                             " but got ", DataTypeName(type));
    }
    if (values_.empty()) {
      return InvalidArgument("Stack[", name_, "] is empty when calling Pop().");
    }
    Tensor value = std::move(values_.back());
    values_.pop_back();
    return value;
  }

  void Close() {
    std::vector<Tensor> freed;  // freed after the lock is released
    MutexLock lock(mu_);
    closed_ = true;
    freed.swap(values_);
    lock.Unlock();
  }

 private:
  const std::string name_;
  const DataType type_;
  const int64_t limit_;
  Mutex mu_;
  std::vector<Tensor> values_;  // guarded by mu_
  bool closed_ = false;         // guarded by mu_
};

StatusOr<Ref<Stack>> StackOf(KernelContext& ctx) {
  const Tensor& handle = ctx.input(0);
  MR_RETURN_IF_ERROR(CheckScalar(handle, "handle"));
  Ref<Stack> stack = OwnedByInput<Stack>(ctx, 0);
  if (stack == nullptr) return InvalidArgument("the handle is of no stack");
  return stack;
}

class StackKernel {
 public:
  static StatusOr<StackKernel> Make(const KernelInit& init) {
    StackKernel k;
    MR_ASSIGN_OR_RETURN(k.type_, init.Attr<DataType>("elem_type"));
    MR_ASSIGN_OR_RETURN(k.name_, init.Attr<std::string>("stack_name"));
    if (k.name_.empty()) k.name_ = init.node().name;
    return k;
  }
  Status Run(KernelContext& ctx) const {
    if (ctx.input(0).rank() != 0) {
      return InvalidArgument("Stack size must be a scalar, but had shape: ",
                             ctx.input(0).shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape()));
    out->mutable_flat<ResourceElement>()[0] = OwningHandle(
        ctx, "_step", name_, "Stack",
        MakeRef<Stack>(name_, type_, ctx.input(0).scalar<int32_t>()));
    return OkStatus();
  }

 private:
  DataType type_ = DataType::kInvalid;
  std::string name_;
};

Status Push(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Stack> stack, StackOf(ctx));
  MR_RETURN_IF_ERROR(stack->Push(ctx.input(1)));
  ctx.set_output(0, ctx.TakeInput(1));
  return OkStatus();
}

Status Pop(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Stack> stack, StackOf(ctx));
  MR_ASSIGN_OR_RETURN(Tensor value, stack->Pop(ctx.output_type(0)));
  ctx.set_output(0, std::move(value));
  return OkStatus();
}

Status Close(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Stack> stack, StackOf(ctx));
  stack->Close();
  return OkStatus();
}

}  // namespace

MR_KERNELS(StackV2, Cpu){{.make = MakeKernel<StackKernel>, .host = "handle"}};
MR_KERNELS(StackPushV2,
           Cpu){{.make = MakeFunctionKernel<Push>, .host = "handle"}};
MR_KERNELS(StackPopV2,
           Cpu){{.make = MakeFunctionKernel<Pop>, .host = "handle"}};
MR_KERNELS(StackCloseV2,
           Cpu){{.make = MakeFunctionKernel<Close>, .host = "handle"}};

}  // namespace millrace::ops
