#include <string>

#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

class AssertKernel {
 public:
  static StatusOr<AssertKernel> Make(const KernelInit& init) {
    AssertKernel k;
    MR_ASSIGN_OR_RETURN(k.summarize_, init.Attr<int32_t>("summarize"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& condition = ctx.input(0);
    if (condition.rank() != 0) {
      return InvalidArgument("In[0] should be a scalar: ",
                             condition.shape().DebugString());
    }
    if (condition.scalar<bool>()) return OkStatus();
    std::string message = "assertion failed: ";
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      absl::StrAppend(&message, "[", ctx.input(i).SummarizeValue(summarize_),
                      "]", i + 1 < ctx.num_inputs() ? " " : "");
    }
    return InvalidArgument(message);
  }

 private:
  int64_t summarize_ = 3;
};

}  // namespace

MR_KERNELS(Assert, Cpu){{.make = MakeKernel<AssertKernel>, .cheap = true}};

}  // namespace millrace::ops
