#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/state/variable_lookup.h"
#include "millrace/tensor/dispatch.h"

namespace millrace::ops {
namespace {

class CountUpToKernel {
 public:
  static StatusOr<CountUpToKernel> Make(const KernelInit& init) {
    CountUpToKernel k;
    MR_ASSIGN_OR_RETURN(k.limit_, init.Attr<int64_t>("limit"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const Ref<Variable> variable, VariableAt(ctx, 0));
    WriterLock lock(variable->mu());
    if (!variable->initialized_locked()) return variable->Uninitialized();
    const Tensor& value = variable->value_locked();
    if (value.rank() != 0) {
      return InvalidArgument("input is not a scalar: ",
                             value.shape().DebugString());
    }
    return Dispatch<int32_t, int64_t>(
        ctx.output_type(0), [&]<class T>() -> Status {
          if (value.dtype() != DataTypeOf<T>) {
            return InvalidArgument("the variable has type ",
                                   DataTypeName(value.dtype()), ", expected ",
                                   DataTypeName(DataTypeOf<T>));
          }
          const T count = value.scalar<T>();
          if (static_cast<int64_t>(count) >= limit_) {
            return OutOfRange("Reached limit of ", limit_);
          }
          variable->SetLocked(Tensor::Scalar<T>(count + 1));
          ctx.set_output(0, Tensor::Scalar<T>(count));
          return OkStatus();
        });
  }

 private:
  int64_t limit_ = 0;
};

}  // namespace

MR_KERNELS(CountUpTo,
           Cpu){{.make = MakeKernel<CountUpToKernel>, .cheap = true}};
MR_KERNELS(ResourceCountUpTo, Cpu){
    {.make = MakeKernel<CountUpToKernel>, .host = "resource", .cheap = true}};

}  // namespace millrace::ops
