// Kernels of optionals: a tuple of tensors, or nothing.
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/variant/optional.h"
#include "millrace/tensor/variant/optional_value.h"

namespace millrace::ops {
namespace {

Status SetOptional(KernelContext& ctx, std::vector<Tensor> components) {
  MR_ASSIGN_OR_RETURN(Tensor optional, MakeOptional(std::move(components)));
  ctx.set_output(0, std::move(optional));
  return OkStatus();
}

StatusOr<const OptionalValue*> OptionalOfInput(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  const std::string& op = ctx.node().op->name;
  if (t.rank() != 0) {
    return InvalidArgument("Input to ", op,
                           " must be a scalar tensor containing an "
                           "OptionalVariant object.");
  }
  const VariantElement& element = t.scalar<VariantElement>();
  if (element == nullptr || element->type_name() != OptionalValue::kTypeName) {
    return InvalidArgument("Input to ", op,
                           " must be an OptionalVariant object.");
  }
  return static_cast<const OptionalValue*>(element.get());
}

Status FromValue(KernelContext& ctx) {
  std::vector<Tensor> components;
  components.reserve(static_cast<size_t>(ctx.num_inputs()));
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    components.push_back(ctx.TakeInput(i));
  }
  return SetOptional(ctx, std::move(components));
}

Status None(KernelContext& ctx) { return SetOptional(ctx, {}); }

Status HasValue(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const OptionalValue* const optional,
                      OptionalOfInput(ctx));
  ctx.set_output(0, Tensor::Scalar<bool>(optional->has_value()));
  return OkStatus();
}

class GetValueKernel {
 public:
  static StatusOr<GetValueKernel> Make(const KernelInit& init) {
    GetValueKernel k;
    MR_ASSIGN_OR_RETURN(k.types_,
                        init.Attr<AttrValue::TypeList>("output_types"));
    MR_ASSIGN_OR_RETURN(k.shapes_,
                        init.Attr<AttrValue::ShapeList>("output_shapes"));
    if (k.types_.size() != k.shapes_.size()) {
      return InvalidArgument(
          "output_types and output_shapes must be same length, got:\n",
          "output_types: ", k.types_.size(), "\n",
          "output_shapes: ", k.shapes_.size());
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const OptionalValue* const optional,
                        OptionalOfInput(ctx));
    if (!optional->has_value()) {
      return InvalidArgument("The given optional does not have a value.");
    }
    const std::vector<Tensor>& components = optional->components();
    if (components.size() != types_.size()) {
      return InvalidArgument("The given optional has ", components.size(),
                             " components, expected ", types_.size());
    }
    for (size_t i = 0; i < components.size(); ++i) {
      const Tensor& t = components[i];
      if (t.dtype() != types_[i]) {
        return InvalidArgument(
            "The given optional does not match the expected type for "
            "component ",
            i, ". Expected: ", DataTypeName(types_[i]),
            ". Actual: ", DataTypeName(t.dtype()), ".");
      }
      if (!shapes_[i].IsCompatibleWith(t.shape())) {
        return InvalidArgument(
            "The given optional does not match the expected shape for "
            "component ",
            i, ". Expected: ", shapes_[i].DebugString(),
            ". Actual: ", t.shape().DebugString(), ".");
      }
      ctx.set_output(static_cast<int>(i), t);
    }
    return OkStatus();
  }

 private:
  AttrValue::TypeList types_;
  AttrValue::ShapeList shapes_;
};

}  // namespace

StatusOr<Tensor> MakeOptional(std::vector<Tensor> components) {
  MR_ASSIGN_OR_RETURN(Ref<VariantValue> value,
                      OptionalValue::Make(std::move(components)));
  return Tensor::Scalar<VariantElement>(std::move(value));
}

MR_KERNELS(OptionalFromValue,
           Cpu){{.make = MakeFunctionKernel<FromValue>, .cheap = true}};
MR_KERNELS(OptionalNone,
           Cpu){{.make = MakeFunctionKernel<None>, .cheap = true}};
MR_KERNELS(OptionalHasValue, Cpu){
    {.make = MakeFunctionKernel<HasValue>, .host = "has_value", .cheap = true}};
MR_KERNELS(OptionalGetValue,
           Cpu){{.make = MakeKernel<GetValueKernel>, .cheap = true}};

}  // namespace millrace::ops
