// Optionals: a tuple of tensors, or nothing.
#include <vector>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/math/tensor_sum.h"
#include "millrace/ops/variant/optional.h"
#include "millrace/ops/variant/zeros_like.h"

namespace millrace::ops {
namespace {

// Without components: nothing. Immutable.
class OptionalValue final : public SummableVariant {
 public:
  static constexpr absl::string_view kTypeName = "tensorflow::data::Optional";

  explicit OptionalValue(std::vector<Tensor> components)
      : components_(std::move(components)) {}

  absl::string_view type_name() const override { return kTypeName; }
  const std::vector<Tensor>& components() const { return components_; }
  bool has_value() const { return !components_.empty(); }

  StatusOr<Ref<VariantValue>> ZerosLike(Allocator* allocator) const override {
    std::vector<Tensor> zeros;
    for (const Tensor& t : components_) {
      MR_ASSIGN(Tensor z, ZerosLikeTensor(t, allocator));
      zeros.push_back(std::move(z));
    }
    return Ref<VariantValue>(MakeRef<OptionalValue>(std::move(zeros)));
  }

  StatusOr<Ref<VariantValue>> Add(KernelContext& ctx,
                                  const VariantValue& other) const override {
    if (other.type_name() != kTypeName) {
      return InvalidArgument("Cannot add an optional and a variant of type ",
                             other.type_name());
    }
    const auto& b = static_cast<const OptionalValue&>(other);
    if (has_value() != b.has_value()) {
      return InvalidArgument(
          "Cannot add optionals because one has a value and the other "
          "doesn't.");
    }
    if (components_.size() != b.components_.size()) {
      return InvalidArgument(
          "Cannot add optionals because they have different numbers of "
          "components (",
          components_.size(), " vs. ", b.components_.size(), ").");
    }
    std::vector<Tensor> sums;
    for (size_t i = 0; i < components_.size(); ++i) {
      MR_ASSIGN(Tensor t, SumTensors(ctx, components_[i], b.components_[i]));
      sums.push_back(std::move(t));
    }
    return Ref<VariantValue>(MakeRef<OptionalValue>(std::move(sums)));
  }

 private:
  const std::vector<Tensor> components_;
};

void SetOptional(KernelContext& ctx, std::vector<Tensor> components) {
  ctx.set_output(0, MakeOptional(std::move(components)));
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
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    components.push_back(ctx.TakeInput(i));
  }
  SetOptional(ctx, std::move(components));
  return OkStatus();
}

Status None(KernelContext& ctx) {
  SetOptional(ctx, {});
  return OkStatus();
}

Status HasValue(KernelContext& ctx) {
  MR_ASSIGN(const OptionalValue* const optional, OptionalOfInput(ctx));
  ctx.set_output(0, Tensor::Scalar<bool>(optional->has_value()));
  return OkStatus();
}

class GetValueKernel {
 public:
  static StatusOr<GetValueKernel> Make(const KernelInit& init) {
    GetValueKernel k;
    MR_ASSIGN(k.types_, init.Attr<AttrValue::TypeList>("output_types"));
    MR_ASSIGN(k.shapes_, init.Attr<AttrValue::ShapeList>("output_shapes"));
    if (k.types_.size() != k.shapes_.size()) {
      return InvalidArgument(
          "output_types and output_shapes must be same length, got:\n",
          "output_types: ", k.types_.size(), "\n",
          "output_shapes: ", k.shapes_.size());
    }
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN(const OptionalValue* const optional, OptionalOfInput(ctx));
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

Tensor MakeOptional(std::vector<Tensor> components) {
  return Tensor::Scalar<VariantElement>(
      VariantElement(MakeRef<OptionalValue>(std::move(components))));
}

}  // namespace millrace::ops

using namespace millrace;       // NOLINT: declarations stand outside
using namespace millrace::ops;  // NOLINT

MR_KERNELS(OptionalFromValue,
           Cpu){{.make = MakeFunctionKernel<FromValue>, .cheap = true}};
MR_KERNELS(OptionalNone,
           Cpu){{.make = MakeFunctionKernel<None>, .cheap = true}};
MR_KERNELS(OptionalHasValue, Cpu){
    {.make = MakeFunctionKernel<HasValue>, .host = "has_value", .cheap = true}};
MR_KERNELS(OptionalGetValue,
           Cpu){{.make = MakeKernel<GetValueKernel>, .cheap = true}};
