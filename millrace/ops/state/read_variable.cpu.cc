#include "absl/strings/str_cat.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/state/variable_lookup.h"

namespace millrace::ops {
namespace {

// Returns the error of a variable that has no value, for the reason `why`.
Status HasNoValue(const ResourceHandle& handle, absl::string_view why) {
  return FailedPrecondition(
      "Could not find variable ", handle.name,
      ". This could mean that the variable has been deleted. In TF1, it can "
      "also mean the variable is uninitialized. Debug info: container=",
      handle.container, ", status error message=", why);
}

class ReadVariableKernel {
 public:
  static StatusOr<ReadVariableKernel> Make(const KernelInit& init) {
    ReadVariableKernel k;
    for (int i = 0; i < init.num_outputs(); ++i) {
      k.dtypes_.push_back(init.output_type(i));
    }
    return k;
  }
  Status Run(KernelContext& ctx) const {
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      const StatusOr<Ref<Variable>> found = LookupVariable(ctx, i);
      if (found.status().code() == StatusCode::kFailedPrecondition) {
        return HasNoValue(*ctx.input(i).flat<ResourceElement>()[0],
                          found.status().message());
      }
      MR_RETURN_IF_ERROR(found.status());
      const Ref<Variable>& variable = *found;
      if (variable->dtype() != dtypes_[i]) {
        return InvalidArgument(
            "Trying to read variable with wrong dtype. Expected ",
            DataTypeName(dtypes_[i]), " got ", DataTypeName(variable->dtype()));
      }
      StatusOr<Tensor> value = variable->Read(ctx.device().allocator());
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

 private:
  std::vector<DataType> dtypes_;
};

}  // namespace

MR_KERNELS(ReadVariableOp, Cpu){{.make = MakeKernel<ReadVariableKernel>,
                                 .host = "resource",
                                 .cheap = true}};
MR_KERNELS(_ReadVariablesOp, Cpu){{.make = MakeKernel<ReadVariableKernel>,
                                   .host = "resources",
                                   .cheap = true}};

}  // namespace millrace::ops
