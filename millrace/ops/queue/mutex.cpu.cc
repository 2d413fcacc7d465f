#include "millrace/kernel/handle_kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/queue/waiters.h"

namespace millrace::ops {
namespace {

class StepMutex final : public WaitingResource {
 public:
  static constexpr absl::string_view kTypeName = "Mutex";
  struct Options {};
  static StatusOr<Options> OptionsFrom(const KernelInit&) { return Options(); }
  StepMutex(Options, std::string name) : name_(std::move(name)) {}
  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override {
    MutexLock lock(mu_);
    return locked_ ? "mutex, locked" : "mutex";
  }
  Status CheckOptions(const Options&) const { return OkStatus(); }

  // Locks the mutex, in the order of arrival, until `Release`.
  void Acquire(KernelContext& ctx, Done done) {
    Start(
        ctx, absl::StrCat("mutex ", name_), /*ordered=*/true,
        [this](Status*) { return !std::exchange(locked_, true); },
        std::move(done));
  }
  void Release() {
    {
      MutexLock lock(mu_);
      locked_ = false;
    }
    StateChanged();
  }

 private:
  const std::string name_;
  bool locked_ = false;  // guarded by mu_
};

// The value of the variant: unlocks the mutex with its last reference.
class HeldLock final : public VariantValue {
 public:
  explicit HeldLock(Ref<StepMutex> mutex) : mutex_(std::move(mutex)) {}
  ~HeldLock() override { mutex_->Release(); }
  absl::string_view type_name() const override { return "MutexLock"; }

 private:
  const Ref<StepMutex> mutex_;
};

class MutexLockKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    StatusOr<Ref<StepMutex>> found = LookupInput<StepMutex>(ctx, 0);
    if (!found.ok()) return std::move(done)(found.status());
    const Ref<StepMutex> mutex = *std::move(found);
    mutex->Acquire(
        ctx, Done([mutex, &ctx, done = std::move(done)](Status status) mutable {
          if (status.ok()) {
            ctx.set_output(
                0, Tensor::Scalar<VariantElement>(MakeRef<HeldLock>(mutex)));
          }
          std::move(done)(std::move(status));
        }));
  }
};

Status RunConsume(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  if (t.num_elements() != 1 || t.flat<VariantElement>()[0] == nullptr ||
      t.flat<VariantElement>()[0]->type_name() != "MutexLock") {
    return InvalidArgument(
        "Expected input to contain a SharedLockReleaser object");
  }
  (void)ctx.TakeInput(0);
  return OkStatus();
}

}  // namespace

MR_KERNELS(MutexV2, Cpu){{.make = MakeKernel<HandleKernel<StepMutex>>,
                          .host = "resource",
                          .cheap = true}};
MR_KERNELS(MutexLock, Cpu){
    {.make = MakeKernel<MutexLockKernel>, .host = "mutex, mutex_lock"}};
MR_KERNELS(ConsumeMutexLock,
           Cpu){{.make = MakeFunctionKernel<RunConsume>, .host = "mutex_lock"}};

}  // namespace millrace::ops
