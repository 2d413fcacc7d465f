#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource.h"
#include "millrace/kernel/step_container.h"
#include "millrace/kernel/variable.h"
#include "millrace/ops/array/move.h"

namespace millrace::ops {
namespace {

// A temporary variable in its step's container.
class Temporary final : public Resource {
 public:
  static constexpr absl::string_view kTypeName =
      "N10tensorflow19TemporaryVariableOp6TmpVarE";

  explicit Temporary(Ref<Variable> variable) : variable_(std::move(variable)) {}
  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override { return variable_->DebugString(); }

 private:
  const Ref<Variable> variable_;
};

std::string StepContainerOf(const KernelContext& ctx) {
  return StepContainer::NameOf(ctx.step().step_id);
}

std::string TemporaryKey(const KernelContext& ctx, const std::string& name) {
  return absl::StrCat(name, "/frame:", ctx.frame_id, "/iter:", ctx.iteration);
}

class TemporaryVariableKernel {
 public:
  static StatusOr<TemporaryVariableKernel> Make(const KernelInit& init) {
    TemporaryVariableKernel k;
    MR_ASSIGN_OR_RETURN(k.name_, init.Attr<std::string>("var_name"));
    if (k.name_.empty()) k.name_ = init.node().name;
    MR_ASSIGN_OR_RETURN(k.dtype_, init.Attr<DataType>("dtype"));
    MR_ASSIGN_OR_RETURN(const PartialShape shape,
                        init.Attr<PartialShape>("shape"));
    MR_ASSIGN_OR_RETURN(k.shape_, shape.AsTensorShape());
    return k;
  }
  Status Run(KernelContext& ctx) const {
    auto variable = MakeRef<Variable>(dtype_, name_);
    MR_ASSIGN_OR_RETURN(Tensor value, ctx.AllocateTemp(dtype_, shape_));
    MR_RETURN_IF_ERROR(ZeroTensor(ctx, &value));
    variable->Assign(std::move(value));
    MR_RETURN_IF_ERROR(ctx.step().container->store().Create(
        StepContainerOf(ctx), TemporaryKey(ctx, name_),
        MakeRef<Temporary>(variable)));
    ctx.set_output_ref(0, std::move(variable));
    return OkStatus();
  }

 private:
  std::string name_;
  DataType dtype_ = DataType::kInvalid;
  TensorShape shape_;
};

class DestroyTemporaryKernel {
 public:
  static StatusOr<DestroyTemporaryKernel> Make(const KernelInit& init) {
    DestroyTemporaryKernel k;
    MR_ASSIGN_OR_RETURN(k.name_, init.Attr<std::string>("var_name"));
    if (k.name_.empty()) return InvalidArgument("Missing var_name attribute");
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(Tensor value, ctx.ref_input(0)->Read(ctx.allocator()));
    MR_RETURN_IF_ERROR(ctx.step().container->store().Delete(
        StepContainerOf(ctx), TemporaryKey(ctx, name_), Temporary::kTypeName));
    ctx.set_output(0, std::move(value));
    return OkStatus();
  }

 private:
  std::string name_;
};

}  // namespace

MR_KERNELS(TemporaryVariable,
           Cpu){{.make = MakeKernel<TemporaryVariableKernel>}};
MR_KERNELS(DestroyTemporaryVariable,
           Cpu){{.make = MakeKernel<DestroyTemporaryKernel>}};

}  // namespace millrace::ops
