// Kernel of elementwise ops that are fused, on GPUs: they are one program
// (fused_programs.gpu.h).
#include <memory>
#include <utility>

#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/fused/fused_kernels.h"
#include "millrace/ops/fused/fused_programs.gpu.h"

namespace millrace::ops {
namespace {

class GpuFusedKernel {
 public:
  static StatusOr<std::unique_ptr<GpuFusedKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<GpuFusedKernel>();
    MR_ASSIGN_OR_RETURN(k->programs_, FusedPrograms::Make(init));
    k->kernels_ = init.kernels();
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const bool done, programs_->Run(ctx));
    if (done) return OkStatus();
    MR_ASSIGN_OR_RETURN(const std::shared_ptr<const FusedKernels> kernels,
                        OneByOne(ctx));
    return kernels->RunOneByOne(ctx);
  }

 private:
  // Returns the ops' own kernels, which are made when they are needed first.
  StatusOr<std::shared_ptr<const FusedKernels>> OneByOne(
      KernelContext& ctx) const {
    {
      MutexLock lock(mu_);
      if (one_by_one_ != nullptr) return one_by_one_;
    }
    MR_ASSIGN_OR_RETURN(FusedKernels made,
                        FusedKernels::Make(KernelInit(ctx.node(), ctx.device(),
                                                      nullptr, kernels_)));
    auto shared = std::make_shared<const FusedKernels>(std::move(made));
    MutexLock lock(mu_);
    if (one_by_one_ == nullptr) one_by_one_ = std::move(shared);
    return one_by_one_;
  }

  std::unique_ptr<const FusedPrograms> programs_;
  const KernelTable* kernels_ = nullptr;
  mutable Mutex mu_;
  mutable std::shared_ptr<const FusedKernels> one_by_one_;  // guarded by mu_
};

}  // namespace

MR_KERNELS(_FusedElementwise, Gpu){{.make = MakeKernel<GpuFusedKernel>}};

}  // namespace millrace::ops
