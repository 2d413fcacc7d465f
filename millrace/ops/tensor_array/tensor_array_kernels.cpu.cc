// Kernels that make arrays, and those on one element or the whole array.
#include <atomic>
#include <memory>

#include "absl/strings/match.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/variable.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/tensor_array/array_of_input.h"

namespace millrace::ops {
namespace {

// Sets output 0 to the handle of an array, of the kind that the schema has, and
// the flow behind it, which the first two generations do not have.
Status SetHandle(KernelContext& ctx, absl::string_view kind,
                 const std::string& name) {
  if (ctx.output_type(0) == DataType::kResource) {
    auto handle = MakeRef<ResourceHandle>();
    handle->device = ctx.device().name();
    handle->container = StepContainer::NameOf(ctx.step().step_id);
    handle->name = absl::StrCat(kind, name);
    handle->type_name = std::string(TensorArray::kTypeName);
    ctx.set_output(0, Tensor::Scalar<ResourceElement>(handle));
    ctx.set_output(1, Tensor::Scalar<float>(0));
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

class TensorArrayKernel {
 public:
  static StatusOr<std::unique_ptr<TensorArrayKernel>> Make(
      const KernelInit& init) {
    auto k = std::make_unique<TensorArrayKernel>();
    TensorArray::Options& o = k->options_;
    MR_ASSIGN_OR_RETURN(o.dtype, init.Attr<DataType>("dtype"));
    MR_ASSIGN_OR_RETURN(o.element_shape,
                        init.Attr<PartialShape>("element_shape"));
    if (init.HasAttr("identical_element_shapes")) {
      MR_ASSIGN_OR_RETURN(o.identical_element_shapes,
                          init.Attr<bool>("identical_element_shapes"));
    }
    MR_ASSIGN_OR_RETURN(o.dynamic_size, init.Attr<bool>("dynamic_size"));
    MR_ASSIGN_OR_RETURN(o.clear_after_read,
                        init.Attr<bool>("clear_after_read"));
    MR_ASSIGN_OR_RETURN(o.name, init.Attr<std::string>("tensor_array_name"));
    if (o.name.empty()) o.name = init.node().name;
    return k;
  }

  Status Run(KernelContext& ctx) const {
    const Tensor& size = ctx.input(0);
    if (size.rank() != 0) {
      return InvalidArgument("TensorArray size must be scalar, but had shape: ",
                             size.shape().DebugString());
    }
    if (size.scalar<int32_t>() < 0) {
      return InvalidArgument("Size should be >= 0.");
    }
    if (ctx.step().container == nullptr) {
      return FailedPrecondition("the step has no container");
    }
    const std::string container = StepContainer::NameOf(ctx.step().step_id);
    // The name may be taken, since another node may have the same array name.
    while (true) {
      TensorArray::Options options = options_;
      options.name = absl::StrCat(
          options_.name, "_", next_.fetch_add(1, std::memory_order_relaxed));
      const std::string name = options.name;
      MR_ASSIGN_OR_RETURN(
          Ref<TensorArray> array,
          TensorArray::Make(std::move(options), size.scalar<int32_t>()));
      const Status made = ctx.step().container->store().Create(
          container, absl::StrCat(kArrays, name), std::move(array));
      if (made.ok()) return SetHandle(ctx, kArrays, name);
      if (made.code() != StatusCode::kAlreadyExists) return made;
    }
  }

 private:
  TensorArray::Options options_;
  mutable std::atomic<int64_t> next_{0};  // number of arrays that the node made
};

// All forms; TensorArrayGradWithShape has a shape as input 2.
class TensorArrayGradKernel {
 public:
  static StatusOr<TensorArrayGradKernel> Make(const KernelInit& init) {
    TensorArrayGradKernel k;
    MR_ASSIGN_OR_RETURN(k.source_, init.Attr<std::string>("source"));
    return k;
  }

  Status Run(KernelContext& ctx) const {
    MR_ASSIGN_OR_RETURN(const std::string forward_name, NameOf(ctx));
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
                                     *forward, name, prepended);
                               })
                           .status());
    return SetHandle(ctx, kGradientArrays, name);
  }

 private:
  // Returns the name of the array in input 0, which may not be one of
  // gradients.
  static StatusOr<std::string> NameOf(KernelContext& ctx) {
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

  std::string source_;
};

StatusOr<int32_t> IndexOf(KernelContext& ctx) {
  const Tensor& index = ctx.input(1);
  if (index.rank() == 0) return index.scalar<int32_t>();
  return InvalidArgument("TensorArray index must be scalar, but had shape: ",
                         index.shape().DebugString());
}

Status Write(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const int32_t index, IndexOf(ctx));
  MR_ASSIGN_OR_RETURN(const Ref<TensorArray> array,
                      ArrayToWrite(ctx, ctx.input(2).dtype()));
  std::vector<Tensor> values;
  values.push_back(ctx.TakeInput(2));
  MR_RETURN_IF_ERROR(
      array->Write(ctx, absl::MakeConstSpan(&index, 1), std::move(values)));
  ctx.set_output(0, ctx.TakeInput(3));
  return OkStatus();
}

Status Read(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const int32_t index, IndexOf(ctx));
  MR_ASSIGN_OR_RETURN(const Ref<TensorArray> array,
                      ArrayToRead(ctx, ctx.output_type(0)));
  std::vector<Tensor> values;
  MR_RETURN_IF_ERROR(array->Read(ctx, absl::MakeConstSpan(&index, 1), &values));
  ctx.set_output(0, std::move(values[0]));
  return OkStatus();
}

Status Size(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<TensorArray> array, ArrayOfInput(ctx));
  MR_ASSIGN_OR_RETURN(const int32_t size, array->Size());
  ctx.set_output(0, Tensor::Scalar<int32_t>(size));
  return OkStatus();
}

Status Close(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<TensorArray> array, ArrayOfInput(ctx));
  array->Close();
  return OkStatus();
}

constexpr KernelEntry kMakesArray = {.make = MakeKernel<TensorArrayKernel>,
                                     .host = "size, handle"};
constexpr KernelEntry kMakesGradient = {
    .make = MakeKernel<TensorArrayGradKernel>, .host = "handle, grad_handle"};
constexpr KernelEntry kWrites = {.types = "T: " MR_ELEMENT_TYPES,
                                 .make = MakeFunctionKernel<Write>,
                                 .host = "handle, index",
                                 .views = "flow_in",
                                 .cheap = true};
constexpr KernelEntry kReads = {.types = "dtype: " MR_ELEMENT_TYPES,
                                .make = MakeFunctionKernel<Read>,
                                .host = "handle, index",
                                .cheap = true};
constexpr KernelEntry kTellsLength = {
    .make = MakeFunctionKernel<Size>, .host = "handle, size", .cheap = true};
constexpr KernelEntry kClosesArray = {
    .make = MakeFunctionKernel<Close>, .host = "handle", .cheap = true};

}  // namespace

MR_KERNELS(TensorArray, Cpu){kMakesArray};
MR_KERNELS(TensorArrayV2, Cpu){kMakesArray};
MR_KERNELS(TensorArrayV3, Cpu){kMakesArray};
MR_KERNELS(TensorArrayGrad, Cpu){kMakesGradient};
MR_KERNELS(TensorArrayGradV2, Cpu){kMakesGradient};
MR_KERNELS(TensorArrayGradV3, Cpu){kMakesGradient};
MR_KERNELS(TensorArrayWrite, Cpu){kWrites};
MR_KERNELS(TensorArrayWriteV2, Cpu){kWrites};
MR_KERNELS(TensorArrayWriteV3, Cpu){kWrites};
MR_KERNELS(TensorArrayRead, Cpu){kReads};
MR_KERNELS(TensorArrayReadV2, Cpu){kReads};
MR_KERNELS(TensorArrayReadV3, Cpu){kReads};
MR_KERNELS(TensorArraySize, Cpu){kTellsLength};
MR_KERNELS(TensorArraySizeV2, Cpu){kTellsLength};
MR_KERNELS(TensorArraySizeV3, Cpu){kTellsLength};
MR_KERNELS(TensorArrayClose, Cpu){kClosesArray};
MR_KERNELS(TensorArrayCloseV2, Cpu){kClosesArray};
MR_KERNELS(TensorArrayCloseV3, Cpu){kClosesArray};
MR_KERNELS(TensorArrayGradWithShape,
           Cpu){{.make = MakeKernel<TensorArrayGradKernel>,
                 .host = "handle, shape_to_prepend, grad_handle"}};

}  // namespace millrace::ops
