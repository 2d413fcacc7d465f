#include <string>

#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

// An error of more text reaches no client.
constexpr size_t kMostAsserted = 1 << 20;

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
    const auto append = [&message](absl::string_view piece) -> Status {
      absl::StrAppend(&message, piece);
      if (message.size() <= kMostAsserted) return OkStatus();
      message.resize(kMostAsserted);
      return InvalidArgument(message, "...");
    };
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      MR_RETURN_IF_ERROR(append("["));
      MR_RETURN_IF_ERROR(
          ctx.input(i).Summarize(summarize_, /*print_v2=*/false, append));
      MR_RETURN_IF_ERROR(append(i + 1 < ctx.num_inputs() ? "] " : "]"));
    }
    return InvalidArgument(message);
  }

 private:
  int64_t summarize_ = 3;
};

}  // namespace

MR_KERNELS(Assert, Cpu){{.make = MakeKernel<AssertKernel>, .cheap = true}};

}  // namespace millrace::ops
