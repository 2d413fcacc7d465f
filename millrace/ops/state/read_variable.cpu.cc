#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/state/variable_lookup.h"

namespace millrace::ops {
namespace {

enum class Count { kOne, kSeveral };

template <Count kCount>
class ReadVariableKernel {
 public:
  static StatusOr<ReadVariableKernel> Make(const KernelInit& init) {
    ReadVariableKernel k;
    if (init.num_inputs() != init.num_outputs()) {
      return InvalidArgument(
          "Mismatched number of arguments to ReadVariablesOp (",
          init.num_inputs(), " vs. ", init.num_outputs(), ")");
    }
    for (int i = 0; i < init.num_outputs(); ++i) {
      k.dtypes_.push_back(init.output_type(i));
    }
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Status status = Read(ctx);
    if (kCount == Count::kOne ||
        status.code() != StatusCode::kFailedPrecondition) {
      return status;
    }
    return FailedPrecondition(
        "In ReadVariablesOp the following variables were found uninitialized: ",
        status.message());
  }

 private:
  Status Read(KernelContext& ctx) const {
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      MR_ASSIGN_OR_RETURN(const Ref<Variable> variable, VariableToRead(ctx, i));
      if (variable->dtype() != dtypes_[i]) {
        return InvalidArgument(
            "Trying to read variable with wrong dtype. Expected ",
            DataTypeName(dtypes_[i]), " got ", DataTypeName(variable->dtype()));
      }
      StatusOr<Tensor> value = variable->Read(ctx.allocator());
      if (!value.ok()) {
        const ResourceHandle& handle = *ctx.input(i).flat<ResourceElement>()[0];
        return HasNoValue(
            handle,
            absl::StrCat("Error while reading resource variable ", handle.name,
                         " from Container: ", handle.container,
                         ". This could mean that the variable was "
                         "uninitialized. ",
                         value.status().message()));
      }
      ctx.set_output(i, *std::move(value));
    }
    return OkStatus();
  }

  std::vector<DataType> dtypes_;
};

}  // namespace

MR_KERNELS(ReadVariableOp,
           Cpu){{.make = MakeKernel<ReadVariableKernel<Count::kOne>>,
                 .host = "resource",
                 .cheap = true}};
MR_KERNELS(_ReadVariablesOp,
           Cpu){{.make = MakeKernel<ReadVariableKernel<Count::kSeveral>>,
                 .host = "resources",
                 .cheap = true}};

}  // namespace millrace::ops
