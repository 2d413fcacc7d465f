// Kernels that make arrays, and those on one element or the whole array.
#include <atomic>
#include <memory>

#include "millrace/base/memory/counted_vector.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/tensor_array/array_gradient.h"
#include "millrace/ops/tensor_array/array_of_input.h"

namespace millrace::ops {
namespace {

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
      if (made.ok()) return SetArrayHandle(ctx, kArrays, name);
      if (made.code() != StatusCode::kAlreadyExists) return made;
    }
  }

 private:
  TensorArray::Options options_;
  mutable std::atomic<int64_t> next_{0};  // number of arrays that the node made
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
  CountedVector<Tensor> values;
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
  CountedVector<Tensor> values;
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
