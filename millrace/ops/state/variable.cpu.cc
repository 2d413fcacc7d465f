#include <optional>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/state/variable_lookup.h"

namespace millrace::ops {
namespace {

// Looks the variable up in each run, since a container may have been reset.
class VariableKernel {
 public:
  static StatusOr<VariableKernel> Make(const KernelInit& init) {
    VariableKernel k;
    MR_ASSIGN_OR_RETURN(k.container_, ContainerOf(init));
    MR_ASSIGN_OR_RETURN(k.name_, ResourceNameOf(init));
    MR_ASSIGN_OR_RETURN(k.dtype_, init.Attr<DataType>("dtype"));
    MR_ASSIGN_OR_RETURN(const PartialShape shape,
                        init.Attr<PartialShape>("shape"));
    if (shape.IsFullyDefined()) {
      MR_ASSIGN_OR_RETURN(k.shape_, shape.AsTensorShape());
    }
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(
        Ref<Variable> variable,
        ctx.resources().LookupOrCreate<Variable>(
            container_, name_, [&]() -> StatusOr<Ref<Variable>> {
              return MakeRef<Variable>(dtype_, name_, shape_);
            }));
    if (variable->dtype() != dtype_) {
      return InvalidArgument("variable ", name_, " has type ",
                             DataTypeName(variable->dtype()), ", expected ",
                             DataTypeName(dtype_));
    }
    ctx.set_output_ref(0, std::move(variable));
    return OkStatus();
  }

 private:
  std::string container_, name_;
  DataType dtype_ = DataType::kInvalid;
  std::optional<TensorShape> shape_;
};

class VarHandleKernel {
 public:
  static StatusOr<VarHandleKernel> Make(const KernelInit& init) {
    VarHandleKernel k;
    MR_ASSIGN_OR_RETURN(const std::string container,
                        init.Attr<std::string>("container"));
    MR_ASSIGN_OR_RETURN(const std::string name, ResourceNameOf(init));
    MR_ASSIGN_OR_RETURN(const DataType dtype, init.Attr<DataType>("dtype"));
    MR_ASSIGN_OR_RETURN(const PartialShape shape,
                        init.Attr<PartialShape>("shape"));
    ResourceElement handle =
        MakeHandle(init.device(), init.device().resources(), container, name,
                   Variable::kTypeName);
    handle->dtypes_and_shapes.push_back({dtype, shape});
    k.handle_ = Tensor::Scalar<ResourceElement>(handle);
    return k;
  }
  Status Run(KernelContext& ctx) const {
    ctx.set_output(0, handle_);
    return OkStatus();
  }

 private:
  Tensor handle_;
};

Status RunVarIsInitialized(KernelContext& ctx) {
  const StatusOr<Ref<Variable>> variable = LookupVariable(ctx, 0);
  ctx.set_output(
      0, Tensor::Scalar<bool>(variable.ok() && (*variable)->IsInitialized()));
  return OkStatus();
}

Status RunIsVariableInitialized(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar<bool>(ctx.ref_input(0)->IsInitialized()));
  return OkStatus();
}

class DestroyResourceKernel {
 public:
  static StatusOr<DestroyResourceKernel> Make(const KernelInit& init) {
    DestroyResourceKernel k;
    MR_ASSIGN_OR_RETURN(k.ignore_, init.Attr<bool>("ignore_lookup_error"));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    const Tensor& t = ctx.input(0);
    if (t.num_elements() != 1 || t.flat<ResourceElement>()[0] == nullptr) {
      return InvalidArgument("input 0 is not the handle of a resource");
    }
    const ResourceHandle& handle = *t.flat<ResourceElement>()[0];
    const Status status =
        ctx.resources().Delete(handle.container, handle.name, handle.type_name);
    return ignore_ ? OkStatus() : status;
  }

 private:
  bool ignore_ = true;
};

// Variables have no mode that copies them when they are read.
Status RunDisableCopyOnRead(KernelContext& ctx) {
  return VariableToRead(ctx, 0).status();
}

Status RunVariableShape(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Variable> variable, LookupVariable(ctx, 0));
  MR_ASSIGN_OR_RETURN(const TensorShape shape, variable->Shape());
  MR_ASSIGN_OR_RETURN(Tensor* const out,
                      ctx.AllocateOutput(0, TensorShape({shape.rank()})));
  for (int i = 0; i < shape.rank(); ++i) {
    if (out->dtype() == DataType::kInt32) {
      if (shape.dim(i) > std::numeric_limits<int32_t>::max()) {
        return InvalidArgument("dimension ", i, " of size ", shape.dim(i),
                               " does not fit int32; use out_type int64");
      }
      out->mutable_flat<int32_t>()[i] = static_cast<int32_t>(shape.dim(i));
    } else {
      out->mutable_flat<int64_t>()[i] = shape.dim(i);
    }
  }
  return OkStatus();
}

}  // namespace

MR_KERNELS(VariableV2,
           Cpu){{.make = MakeKernel<VariableKernel>, .cheap = true}};
MR_KERNELS(Variable, Cpu){{.make = MakeKernel<VariableKernel>, .cheap = true}};
MR_KERNELS(VarHandleOp, Cpu){
    {.make = MakeKernel<VarHandleKernel>, .host = "resource", .cheap = true}};
MR_KERNELS(VarIsInitializedOp,
           Cpu){{.make = MakeFunctionKernel<RunVarIsInitialized>,
                 .host = "resource, is_initialized",
                 .cheap = true}};
MR_KERNELS(IsVariableInitialized,
           Cpu){{.make = MakeFunctionKernel<RunIsVariableInitialized>,
                 .host = "is_initialized",
                 .cheap = true}};
MR_KERNELS(DestroyResourceOp, Cpu){
    {.make = MakeKernel<DestroyResourceKernel>, .host = "resource"}};
MR_KERNELS(DisableCopyOnRead,
           Cpu){{.make = MakeFunctionKernel<RunDisableCopyOnRead>,
                 .host = "resource",
                 .cheap = true}};
MR_KERNELS(VariableShape, Cpu){{.make = MakeFunctionKernel<RunVariableShape>,
                                .host = "input, output",
                                .cheap = true}};

}  // namespace millrace::ops
