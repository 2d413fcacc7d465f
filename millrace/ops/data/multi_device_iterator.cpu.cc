#include "millrace/ops/data/multi_device_iterator.h"

#include <algorithm>

#include "millrace/base/random.h"
#include "millrace/kernel/component_types.h"
#include "millrace/kernel/handle_kernel.h"
#include "millrace/ops/data/string_handle.h"
#include "millrace/ops/variant/optional.h"

namespace millrace::ops {

StatusOr<MultiDeviceIteratorResource::Options>
MultiDeviceIteratorResource::OptionsOf(const AttrMap& attrs) {
  Options options;
  ElementSignature& s = options.signature;
  MR_ASSIGN_OR_RETURN(s.types,
                      GetAttr<AttrValue::TypeList>(attrs, "output_types"));
  MR_ASSIGN_OR_RETURN(s.shapes,
                      GetAttr<AttrValue::ShapeList>(attrs, "output_shapes"));
  MR_ASSIGN_OR_RETURN(const AttrValue::StringList devices,
                      GetAttr<AttrValue::StringList>(attrs, "devices"));
  options.shards = std::max<int64_t>(static_cast<int64_t>(devices.size()), 1);
  return options;
}

Status MultiDeviceIteratorResource::CheckOptions(const Options& options) const {
  MR_RETURN_IF_ERROR(CheckTypes(signature().types, options.signature.types));
  return CheckShapes(signature().shapes, options.signature.shapes);
}

MultiDeviceIteratorResource::~MultiDeviceIteratorResource() { OnRemoved(); }

std::string MultiDeviceIteratorResource::DebugString() const {
  return absl::StrCat("iterator of ", TypesText(signature().types), " for ",
                      options_.shards, " devices");
}

void MultiDeviceIteratorResource::OnRemoved() {
  std::shared_ptr<DealerTask> dealer;
  {
    MutexLock lock(mu_);
    removed_ = true;
    dealer = std::move(dealer_);
    elements_ = nullptr;
  }
  if (dealer != nullptr) dealer->Close();
}

StatusOr<int64_t> MultiDeviceIteratorResource::Begin(KernelContext& ctx,
                                                     const DatasetRef& dataset,
                                                     int64_t size) {
  MR_RETURN_IF_ERROR(CheckTypes(signature().types, dataset->signature().types));
  MR_RETURN_IF_ERROR(
      CheckShapes(signature().shapes, dataset->signature().shapes));
  std::shared_ptr<IteratorRuntime> runtime = IteratorRuntime::Make(ctx);
  MR_ASSIGN_OR_RETURN(auto iterator, runtime->MakeIterator(*dataset));
  auto elements =
      MakeRef<ShardedElements>(options_.shards, std::max<int64_t>(size, 1));
  auto dealer = std::make_shared<DealerTask>(std::move(runtime),
                                             std::move(iterator), elements);
  int64_t incarnation = 0;
  {
    MutexLock lock(mu_);
    if (!removed_) {
      elements_ = std::move(elements);
      dealer.swap(dealer_);
      incarnation = ++incarnation_;
    }
  }
  // `dealer` is the old one, or the new one if a reset came first.
  if (dealer != nullptr) dealer->Close();
  if (incarnation == 0) return Cancelled("the iterator was removed");
  return incarnation;
}

void MultiDeviceIteratorResource::GetNext(KernelContext& ctx, int64_t shard,
                                          int64_t incarnation, Done done) {
  std::shared_ptr<DealerTask> dealer;
  Ref<ShardedElements> elements;
  Status status;
  {
    MutexLock lock(mu_);
    dealer = dealer_;
    elements = elements_;
    if (dealer == nullptr) {
      status = FailedPrecondition(
          "GetNext() failed because the iterator has not been initialized. "
          "Ensure that you have run the initializer operation for this "
          "iterator before getting the next element.");
    } else if (incarnation != incarnation_) {
      status =
          InvalidArgument("Invalid incarnation id. Provided: ", incarnation,
                          "; Expected: ", incarnation_);
    } else if (shard < 0 || shard >= options_.shards) {
      status = InvalidArgument("there is no shard ", shard,
                               ", expected one of the first ", options_.shards);
    }
  }
  if (!status.ok()) return std::move(done)(std::move(status));
  elements->GetNext(ctx, shard, std::move(dealer), std::move(done));
}

namespace {

using MultiDeviceRef = Ref<MultiDeviceIteratorResource>;

// Returns the iterator whose handle is in input `i`; a handle names it or owns
// it.
StatusOr<MultiDeviceRef> MultiDeviceOfInput(KernelContext& ctx, int i) {
  if (MultiDeviceRef owned =
          OwnedByInput<MultiDeviceIteratorResource>(ctx, i)) {
    return owned;
  }
  return LookupInput<MultiDeviceIteratorResource>(ctx, i);
}

// Returns the number in input `i`, of any shape, as in stock.
template <class T>
StatusOr<int64_t> OneNumber(KernelContext& ctx, int i, absl::string_view name) {
  const Tensor& t = ctx.input(i);
  if (t.num_elements() != 1) {
    return InvalidArgument(name, " must be a scalar, but has shape ",
                           t.shape().DebugString());
  }
  return static_cast<int64_t>(t.flat<T>()[0]);
}

Status AnonymousMultiDeviceOp(KernelContext& ctx) {
  using Resource = MultiDeviceIteratorResource;
  MR_ASSIGN_OR_RETURN(Resource::Options options,
                      Resource::OptionsOf(ctx.node().attrs));
  const std::string name =
      absl::StrCat("AnonymousMultiDeviceIterator", RandomUint64());
  ctx.set_output(0, Tensor::Scalar<ResourceElement>(OwningHandle(
                        ctx, ctx.resources().default_container(), name,
                        Resource::kTypeName,
                        MakeRef<Resource>(std::move(options), name))));
  // The deleter does nothing: the iterator is freed with its handle.
  if (ctx.num_outputs() > 1) {
    MR_ASSIGN_OR_RETURN(Tensor nothing, MakeOptional({}));
    ctx.set_output(1, std::move(nothing));
  }
  return OkStatus();
}

Status MultiDeviceInitOp(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const int64_t size,
                      OneNumber<int64_t>(ctx, 2, "max_buffer_size"));
  MR_ASSIGN_OR_RETURN(const DatasetRef dataset, DatasetOfInput(ctx, 0));
  MR_ASSIGN_OR_RETURN(const MultiDeviceRef iterator,
                      MultiDeviceOfInput(ctx, 1));
  MR_ASSIGN_OR_RETURN(const int64_t incarnation,
                      iterator->Begin(ctx, dataset, size));
  ctx.set_output(0, Tensor::Scalar<int64_t>(incarnation));
  return OkStatus();
}

class NextFromShardKernel {
 public:
  void RunAsync(KernelContext& ctx, Done done) const {
    Status status = Start(ctx, done);
    if (!status.ok()) std::move(done)(std::move(status));
  }

 private:
  static Status Start(KernelContext& ctx, Done& done) {
    MR_ASSIGN_OR_RETURN(const MultiDeviceRef iterator,
                        MultiDeviceOfInput(ctx, 0));
    MR_ASSIGN_OR_RETURN(const int64_t shard,
                        OneNumber<int32_t>(ctx, 1, "shard_num"));
    MR_ASSIGN_OR_RETURN(const int64_t incarnation,
                        OneNumber<int64_t>(ctx, 2, "incarnation_id"));
    iterator->GetNext(ctx, shard, incarnation, std::move(done));
    return OkStatus();
  }
};

Status MultiDeviceToString(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(MultiDeviceOfInput(ctx, 0).status());
  SetStringHandle(ctx);
  return OkStatus();
}

Status DeleteMultiDeviceOp(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const MultiDeviceRef iterator,
                      MultiDeviceOfInput(ctx, 0));
  iterator->OnRemoved();
  return OkStatus();
}

}  // namespace

MR_KERNELS(MultiDeviceIterator,
           Cpu){{.make = MakeKernel<HandleKernel<MultiDeviceIteratorResource>>,
                 .cheap = true}};
MR_KERNELS(AnonymousMultiDeviceIterator, Cpu){
    {.make = MakeFunctionKernel<AnonymousMultiDeviceOp>, .cheap = true}};
MR_KERNELS(AnonymousMultiDeviceIteratorV3, Cpu){
    {.make = MakeFunctionKernel<AnonymousMultiDeviceOp>, .cheap = true}};
MR_KERNELS(MultiDeviceIteratorInit,
           Cpu){{.make = MakeFunctionKernel<MultiDeviceInitOp>}};
MR_KERNELS(MultiDeviceIteratorGetNextFromShard,
           Cpu){{.make = MakeKernel<NextFromShardKernel>}};
MR_KERNELS(MultiDeviceIteratorToStringHandle, Cpu){
    {.make = MakeFunctionKernel<MultiDeviceToString>, .cheap = true}};
MR_KERNELS(MultiDeviceIteratorFromStringHandle, Cpu){
    {.make = MakeKernel<FromStringHandleKernel<MultiDeviceIteratorResource>>,
     .cheap = true}};
MR_KERNELS(DeleteMultiDeviceIterator, Cpu){
    {.make = MakeFunctionKernel<DeleteMultiDeviceOp>, .cheap = true}};

}  // namespace millrace::ops
