#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "millrace/base/memory/kept_charge.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/kernel/step_container.h"
#include "millrace/kernel/variable.h"
#include "millrace/tensor/own_bytes.h"

namespace millrace::ops {
namespace {

// A stack of tensors. A handle of the second generation holds the only
// reference, so it is freed with the handle; those of the first are in the
// step's container, as is one that is given handles or variants, among which
// may be its own. Either way it ends with the step.
class Stack final : public Resource {
 public:
  static constexpr absl::string_view kTypeName = "N10tensorflow5StackE";

  Stack(std::string name, DataType type, int64_t limit)
      : name_(std::move(name)), type_(type), limit_(limit) {}

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override {
    return absl::StrCat("Stack of ", DataTypeName(type_));
  }
  void OnRemoved() override { Close(); }

  Status Push(Tensor value) {
    MutexLock lock(mu_);
    if (closed_) return Closed();
    if (value.dtype() != type_) {
      return OtherType(value.dtype());
    }
    if (limit_ >= 0 && static_cast<int64_t>(values_.size()) >= limit_) {
      return InvalidArgument("Stack[", name_, "] overflowed its max_size (",
                             limit_, ")");
    }
    MR_RETURN_IF_ERROR(kept_.Add(OwnBytes(value)));
    values_.push_back(std::move(value));
    return OkStatus();
  }

  StatusOr<Tensor> Pop(DataType type) {
    MutexLock lock(mu_);
    if (closed_) return Closed();
    if (values_.empty()) {
      return InvalidArgument("Stack[", name_, "] is empty when calling Pop().");
    }
    if (type != type_) {
      return OtherType(type);
    }
    Tensor value = std::move(values_.back());
    values_.pop_back();
    kept_.Remove(OwnBytes(value));
    return value;
  }

  // Returns true once, if elements may hold handles.
  bool BeginsToHoldHandles() {
    if (type_ != DataType::kResource && type_ != DataType::kVariant) {
      return false;
    }
    MutexLock lock(mu_);
    return !std::exchange(holds_handles_, true);
  }

  void Close() {
    std::vector<Tensor> freed;  // freed after the lock is released
    MutexLock lock(mu_);
    closed_ = true;
    freed.swap(values_);
    kept_.Clear();
    lock.Unlock();
  }

 private:
  Status OtherType(DataType type) const {
    return InvalidArgument("Must have type ", static_cast<int>(type_),
                           " but got ", static_cast<int>(type), ": these are ",
                           DataTypeName(type_), " and ", DataTypeName(type));
  }
  Status Closed() const {
    return InvalidArgument("Stack[", name_, "] has already been closed.");
  }

  const std::string name_;
  const DataType type_;
  const int64_t limit_;
  Mutex mu_;
  std::vector<Tensor> values_;  // guarded by mu_
  KeptSum kept_{"a stack"};     // guarded by mu_
  bool closed_ = false;         // guarded by mu_
  bool holds_handles_ = false;  // guarded by mu_
};

// Stacks of the first generation are named by two strings, the first of which
// is always this one. In the step's container they have the name that the two
// make together.
constexpr absl::string_view kStacks = "_stacks";
// Begins the names of stacks there that handles own.
constexpr absl::string_view kOwned = "_owned_stacks_";

StatusOr<Ref<Stack>> StackByName(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(
      const ResourcePlace place,
      PlaceFromStrings(ctx, 0,
                       "Stack handle must have two elements, but had shape: "));
  if (ctx.step().container == nullptr) {
    return FailedPrecondition("the step has no container");
  }
  return ctx.step().container->store().Lookup<Stack>(
      StepContainer::NameOf(ctx.step().step_id),
      absl::StrCat(place.container, place.name));
}

StatusOr<Ref<Stack>> StackOf(KernelContext& ctx) {
  if (ctx.node().op->inputs[0].is_ref) return StackByName(ctx);
  const Tensor& handle = ctx.input(0);
  MR_RETURN_IF_ERROR(CheckScalar(handle, "handle"));
  Ref<Stack> stack = OwnedByInput<Stack>(ctx, 0);
  if (stack != nullptr) return stack;
  MR_RETURN_IF_ERROR(PlaceFromInput(ctx, 0, Stack::kTypeName).status());
  return InvalidArgument("the handle is of no stack");
}

// Of both generations; only the second has a bound, as input 0.
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
    if (ctx.num_inputs() == 0) return MakeNamed(ctx);
    if (ctx.input(0).rank() != 0) {
      return InvalidArgument("Stack size must be a scalar, but had shape: ",
                             ctx.input(0).shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(Tensor* const out,
                        ctx.AllocateOutput(0, TensorShape()));
    out->mutable_flat<ResourceElement>()[0] = OwningHandle(
        ctx, "_step", name_, Stack::kTypeName,
        MakeRef<Stack>(name_, type_, ctx.input(0).scalar<int32_t>()));
    return OkStatus();
  }

 private:
  Status MakeNamed(KernelContext& ctx) const {
    if (ctx.step().container == nullptr) {
      return FailedPrecondition("the step has no container");
    }
    ResourceStore& store = ctx.step().container->store();
    const std::string name = absl::StrCat(name_, "_", store.NextNumber());
    MR_RETURN_IF_ERROR(store.Create(StepContainer::NameOf(ctx.step().step_id),
                                    absl::StrCat(kStacks, name),
                                    MakeRef<Stack>(name, type_, -1)));
    auto reference = MakeRef<Variable>(DataType::kString, name_);
    reference->Assign(
        Tensor::Vector<std::string>({std::string(kStacks), name}));
    ctx.set_output_ref(0, std::move(reference));
    return OkStatus();
  }

  DataType type_ = DataType::kInvalid;
  std::string name_;
};

Status Push(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Stack> stack, StackOf(ctx));
  StepContainer* const container = ctx.step().container;
  if (container != nullptr && stack->BeginsToHoldHandles()) {
    ResourceStore& store = container->store();
    MR_RETURN_IF_ERROR(store.Create(StepContainer::NameOf(ctx.step().step_id),
                                    absl::StrCat(kOwned, store.NextNumber()),
                                    Ref<Resource>::Share(stack.get())));
  }
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

constexpr KernelEntry kMakesStack = {.make = MakeKernel<StackKernel>,
                                     .host = "handle"};
constexpr KernelEntry kPushesOnStack = {.make = MakeFunctionKernel<Push>,
                                        .host = "handle"};
constexpr KernelEntry kPopsFromStack = {.make = MakeFunctionKernel<Pop>,
                                        .host = "handle"};
constexpr KernelEntry kClosesStack = {.make = MakeFunctionKernel<Close>,
                                      .host = "handle"};

}  // namespace

MR_KERNELS(Stack, Cpu){kMakesStack};
MR_KERNELS(StackV2, Cpu){kMakesStack};
MR_KERNELS(StackPush, Cpu){kPushesOnStack};
MR_KERNELS(StackPushV2, Cpu){kPushesOnStack};
MR_KERNELS(StackPop, Cpu){kPopsFromStack};
MR_KERNELS(StackPopV2, Cpu){kPopsFromStack};
MR_KERNELS(StackClose, Cpu){kClosesStack};
MR_KERNELS(StackCloseV2, Cpu){kClosesStack};

}  // namespace millrace::ops
