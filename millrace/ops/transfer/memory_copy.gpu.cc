// The copies that exec/memory_spaces.h puts between nodes.
#include <memory>
#include <utility>

#include "millrace/base/threads/thread.h"
#include "millrace/kernel/device.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/transfer/variant_memory.h"

namespace millrace::ops {
namespace {

// Copies variants that hold tensors, which lie in host memory themselves.
void CopyVariants(KernelContext& ctx, MoveTo to, Done done) {
  MoveVariants(ctx, ctx.TakeInput(0), to,
               [&ctx, done = std::move(done)](StatusOr<Tensor> moved) mutable {
                 if (moved.ok()) ctx.set_output(0, *std::move(moved));
                 std::move(done)(moved.status());
               });
}

class CopyToHost {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    if (ctx.input_type(0) == DataType::kVariant) {
      return CopyVariants(ctx, MoveTo::kHost, std::move(done));
    }
    const StatusOr<Tensor*> to = ctx.AllocateOutput(0, ctx.input(0).shape());
    if (!to.ok()) return std::move(done)(to.status());
    ctx.device().CopyToHost(ctx.TakeInput(0), *to, std::move(done));
  }
};

// Of a constant it keeps the first copy.
class CopyToDevice {
 public:
  static StatusOr<std::unique_ptr<CopyToDevice>> Make(const KernelInit& init) {
    auto k = std::make_unique<CopyToDevice>();
    k->is_constant_ = init.node().HasConstantInput(0);
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    if (ctx.input_type(0) == DataType::kVariant) {
      return CopyVariants(ctx, MoveTo::kDevice, std::move(done));
    }
    if (is_constant_) {
      MutexLock lock(mu_);
      if (kept_.valid()) {
        ctx.set_output(0, kept_);
        lock.Unlock();
        return std::move(done)(OkStatus());
      }
    }
    const StatusOr<Tensor*> to = ctx.AllocateOutput(0, ctx.input(0).shape());
    if (!to.ok()) return std::move(done)(to.status());
    if (!is_constant_) {
      return ctx.device().CopyFromHost(ctx.TakeInput(0), *to, std::move(done));
    }
    ctx.device().CopyFromHost(
        ctx.TakeInput(0), *to,
        Done([this, &ctx, done = std::move(done)](Status status) mutable {
          if (status.ok()) {
            MutexLock lock(mu_);
            kept_ = *ctx.output(0);
          }
          std::move(done)(std::move(status));
        }));
  }

 private:
  bool is_constant_ = false;
  mutable Mutex mu_;
  mutable Tensor kept_;  // guarded by mu_
};

}  // namespace

MR_KERNELS(_CopyToHost, Gpu){
    {.make = MakeKernel<CopyToHost>, .host = "output", .cheap = true}};
MR_KERNELS(_CopyToDevice, Gpu){
    {.make = MakeKernel<CopyToDevice>, .host = "input", .cheap = true}};

}  // namespace millrace::ops
