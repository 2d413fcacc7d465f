#include "millrace/ops/tensor_array/array_gradient.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/kernel/variable.h"
#include "millrace/ops/indexing/rows.h"
#include "millrace/ops/tensor_array/array_of_input.h"

namespace millrace::ops {
namespace {

// Returns the name of the array in input 0, which may not be one of
// gradients.
StatusOr<std::string> ForwardName(KernelContext& ctx) {
  if (ctx.node().op->inputs[0].type != DataType::kResource) {
    MR_ASSIGN_OR_RETURN(ResourcePlace strings, ArrayStrings(ctx));
    if (strings.container == kArrays) return std::move(strings.name);
    return InvalidArgument("Input container should be '", kArrays,
                           "',  but received '", strings.container, "'");
  }
  const Tensor& t = ctx.input(0);
  if (t.num_elements() == 1 && t.flat<ResourceElement>()[0] != nullptr) {
    const std::string& name = t.flat<ResourceElement>()[0]->name;
    if (!absl::StartsWith(name, kArrays)) {
      return InvalidArgument("Wrong input container. ", name);
    }
  }
  MR_ASSIGN_OR_RETURN(const ResourcePlace place, ArrayPlace(ctx));
  return place.name.substr(kArrays.size());
}

}  // namespace

Status SetArrayHandle(KernelContext& ctx, absl::string_view kind,
                      const std::string& name) {
  if (ctx.output_type(0) == DataType::kResource) {
    auto handle = MakeRef<ResourceHandle>();
    handle->device = ctx.device().name();
    handle->container = StepContainer::NameOf(ctx.step().step_id);
    handle->name = absl::StrCat(kind, name);
    handle->type_name = std::string(TensorArray::kTypeName);
    ctx.set_output(0, Tensor::Scalar<ResourceElement>(handle));
    Tensor flow = Tensor::Scalar<float>(0);
    if (ctx.device().has_own_memory()) {
      MR_ASSIGN_OR_RETURN(flow, ZeroTemp(ctx, DataType::kFloat, TensorShape()));
    }
    ctx.set_output(1, std::move(flow));
    return OkStatus();
  }
  Tensor strings = Tensor::Vector<std::string>({std::string(kind), name});
  if (!ctx.node().op->outputs[0].is_ref) {
    ctx.set_output(0, std::move(strings));
    return OkStatus();
  }
  auto reference = MakeRef<Variable>(DataType::kString, ctx.node().name);
  reference->Assign(std::move(strings));
  ctx.set_output_ref(0, std::move(reference));
  return OkStatus();
}

StatusOr<TensorArrayGradKernel> TensorArrayGradKernel::Make(
    const KernelInit& init, TensorArray::DeviceSum device_sum) {
  TensorArrayGradKernel k;
  MR_ASSIGN_OR_RETURN(k.source_, init.Attr<std::string>("source"));
  k.device_sum_ = std::move(device_sum);
  return k;
}

Status TensorArrayGradKernel::Run(KernelContext& ctx) const {
  MR_ASSIGN_OR_RETURN(const std::string forward_name, ForwardName(ctx));
  MR_ASSIGN_OR_RETURN(const Ref<TensorArray> forward, ArrayOfInput(ctx));
  TensorShape prepended;
  if (ctx.num_inputs() > 2) {
    if (ctx.input(2).rank() != 1) {
      return InvalidArgument(
          "shape must be a vector of {int32,int64}, got shape ",
          ctx.input(2).shape().DebugString());
    }
    MR_ASSIGN_OR_RETURN(prepended, ShapeFromTensor(ctx.input(2)));
  }
  const std::string name = absl::StrCat(forward_name, "@", source_);
  MR_RETURN_IF_ERROR(ctx.step()
                         .container->store()
                         .LookupOrCreate<TensorArray>(
                             StepContainer::NameOf(ctx.step().step_id),
                             absl::StrCat(kGradientArrays, name),
                             [&] {
                               return TensorArray::MakeGradient(
                                   *forward, name, prepended, device_sum_);
                             })
                         .status());
  return SetArrayHandle(ctx, kGradientArrays, name);
}

}  // namespace millrace::ops
