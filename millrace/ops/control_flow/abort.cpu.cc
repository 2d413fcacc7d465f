#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {
namespace {

class AbortKernel {
 public:
  static StatusOr<AbortKernel> Make(const KernelInit& init) {
    AbortKernel k;
    MR_ASSIGN_OR_RETURN(k.message_, init.Attr<std::string>("error_msg"));
    MR_ASSIGN_OR_RETURN(k.without_error_,
                        init.Attr<bool>("exit_without_error"));
    return k;
  }
  Status Run(KernelContext&) const {
    return Aborted("Abort_op intentional failure; ",
                   without_error_ ? "exit_without_error was asked" : message_);
  }

 private:
  std::string message_;
  bool without_error_ = false;
};

}  // namespace

MR_KERNELS(Abort, Cpu){{.make = MakeKernel<AbortKernel>, .cheap = true}};

}  // namespace millrace::ops
