// Kernels that make and begin iterators, and take their elements.
#include "millrace/base/random.h"
#include "millrace/kernel/handle_kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/data/iterator_resource.h"
#include "millrace/ops/variant/optional.h"

namespace millrace::ops {
namespace {

Status MakeIteratorOp(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef dataset, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(const Ref<IteratorResource> iterator,
                      IteratorOfInput(ctx, 1));
  return iterator->SetDataset(ctx, dataset);
}

using Next = StatusOr<std::optional<Element>>;

// Runs `kUse` on the next element, or on the end.
template <Status (*kUse)(KernelContext& ctx, Next next)>
class NextKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    const auto iterator = IteratorOfInput(ctx, 0);
    if (!iterator.ok()) return std::move(done)(iterator.status());
    (*iterator)->GetNext(ctx,
                         [&ctx, done = std::move(done)](
                             StatusOr<std::optional<Element>> next) mutable {
                           std::move(done)(kUse(ctx, std::move(next)));
                         });
  }
};

Status AsOutputs(KernelContext& ctx, Next next) {
  MR_RETURN_IF_ERROR(next.status());
  if (!next->has_value()) return OutOfRange("End of sequence");
  return SetOutputs(ctx, **std::move(next));
}

Status CheckOptional(const KernelContext& ctx, const Element& element) {
  MR_ASSIGN_OR_RETURN(const ElementSignature expected, SignatureOf(ctx));
  if (element.size() != expected.types.size()) {
    return CheckElement(expected, element);
  }
  for (size_t i = 0; i < element.size(); ++i) {
    if (element[i].dtype() != expected.types[i]) {
      return InvalidArgument(
          "The given optional does not match the expected type for "
          "component ",
          i, ". Expected: ", DataTypeName(expected.types[i]),
          ". Actual: ", DataTypeName(element[i].dtype()), ".");
    }
    if (!expected.shapes[i].IsCompatibleWith(element[i].shape())) {
      return InvalidArgument(
          "The given optional does not match the expected shape for "
          "component ",
          i, ". Expected: ", expected.shapes[i].DebugString(),
          ". Actual: ", element[i].shape().DebugString(), ".");
    }
  }
  return OkStatus();
}

Status AsOptional(KernelContext& ctx, Next next) {
  MR_RETURN_IF_ERROR(next.status());
  Element element;
  if (next->has_value()) {
    MR_RETURN_IF_ERROR(CheckOptional(ctx, **next));
    element = **std::move(next);
  }
  MR_ASSIGN_OR_RETURN(Tensor optional, MakeOptional(std::move(element)));
  ctx.set_output(0, std::move(optional));
  return OkStatus();
}

// Returns a handle that owns its iterator.
Tensor NewIterator(KernelContext& ctx, const ElementSignature& signature) {
  const std::string name = absl::StrCat("AnonymousIterator", RandomUint64());
  const Ref<ResourceHandle> handle = OwningHandle(
      ctx, ctx.resources().default_container(), name,
      IteratorResource::kTypeName, MakeRef<IteratorResource>(signature, name));
  for (size_t i = 0; i < signature.types.size(); ++i) {
    handle->dtypes_and_shapes.push_back(
        {signature.types[i], signature.shapes[i]});
  }
  return Tensor::Scalar<ResourceElement>(handle);
}

Status AnonymousIteratorOp(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const ElementSignature signature, SignatureOf(ctx));
  ctx.set_output(0, NewIterator(ctx, signature));
  // The deleter does nothing: the iterator is freed with its handle.
  if (ctx.num_outputs() > 1) {
    MR_ASSIGN_OR_RETURN(Tensor nothing, MakeOptional({}));
    ctx.set_output(1, std::move(nothing));
  }
  return OkStatus();
}

Status DeleteIteratorOp(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<IteratorResource> iterator,
                      IteratorOfInput(ctx, 0));
  iterator->OnRemoved();
  return OkStatus();
}

Status IteratorGetDeviceOp(KernelContext& ctx) {
  ctx.set_output(0, Tensor::Scalar<absl::string_view>(ctx.device().name()));
  return OkStatus();
}

}  // namespace

MR_KERNELS(Iterator, Cpu){
    {.make = MakeKernel<HandleKernel<IteratorResource>>, .cheap = true}};
MR_KERNELS(IteratorV2, Cpu){
    {.make = MakeKernel<HandleKernel<IteratorResource>>, .cheap = true}};
MR_KERNELS(AnonymousIterator, Cpu){
    {.make = MakeFunctionKernel<AnonymousIteratorOp>, .cheap = true}};
MR_KERNELS(AnonymousIteratorV2, Cpu){
    {.make = MakeFunctionKernel<AnonymousIteratorOp>, .cheap = true}};
MR_KERNELS(AnonymousIteratorV3, Cpu){
    {.make = MakeFunctionKernel<AnonymousIteratorOp>, .cheap = true}};
MR_KERNELS(DeleteIterator,
           Cpu){{.make = MakeFunctionKernel<DeleteIteratorOp>, .cheap = true}};
MR_KERNELS(MakeIterator, Cpu){{.make = MakeFunctionKernel<MakeIteratorOp>}};
MR_KERNELS(IteratorGetNext, Cpu){{.make = MakeKernel<NextKernel<AsOutputs>>}};
MR_KERNELS(IteratorGetNextSync,
           Cpu){{.make = MakeKernel<NextKernel<AsOutputs>>}};
MR_KERNELS(IteratorGetNextAsOptional,
           Cpu){{.make = MakeKernel<NextKernel<AsOptional>>}};
MR_KERNELS(IteratorGetDevice, Cpu){
    {.make = MakeFunctionKernel<IteratorGetDeviceOp>, .cheap = true}};
MR_KERNELS(ExperimentalIteratorGetDevice, Cpu){
    {.make = MakeFunctionKernel<IteratorGetDeviceOp>, .cheap = true}};

}  // namespace millrace::ops
