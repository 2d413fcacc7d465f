#include <utility>

#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/queue/close_kernel.h"
#include "millrace/ops/queue/queue.h"
#include "millrace/ops/queue/resource_handle.h"

namespace millrace::ops {
namespace {

// The node's components are what the queue holds.
Status CheckSignature(KernelContext& ctx, const Queue& queue, bool enqueue,
                      int fixed_inputs) {
  const NodeInfo& node = ctx.node();
  const auto& types = queue.options().types;
  std::vector<DataType> inputs(node.input_types.begin(),
                               node.input_types.begin() + fixed_inputs);
  std::vector<DataType> outputs;
  auto& expected = enqueue ? inputs : outputs;
  expected.insert(expected.end(), types.begin(), types.end());
  if (std::equal(inputs.begin(), inputs.end(), node.input_types.begin(),
                 node.input_types.end()) &&
      std::equal(outputs.begin(), outputs.end(), node.output_types.begin(),
                 node.output_types.end())) {
    return OkStatus();
  }
  return SignatureMismatch(node, inputs, outputs);
}

Status CheckTimeout(const KernelInit& init) {
  MR_ASSIGN(const int64_t timeout_ms, init.Attr<int64_t>("timeout_ms"));
  if (timeout_ms == -1) return OkStatus();
  return InvalidArgument("Timeout not supported yet.");
}

template <bool kMany>
class EnqueueKernel {
 public:
  static StatusOr<EnqueueKernel> Make(const KernelInit& init) {
    MR_RETURN_IF_ERROR(CheckTimeout(init));
    return EnqueueKernel();
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    QueueTuple tuple;
    StatusOr<Ref<Queue>> queue = Check(ctx, &tuple);
    if (!queue.ok()) return std::move(done)(queue.status());
    if (kMany) {
      (*queue)->EnqueueMany(QueueCaller::Of(ctx), std::move(tuple),
                            std::move(done));
    } else {
      (*queue)->Enqueue(QueueCaller::Of(ctx), std::move(tuple),
                        std::move(done));
    }
  }

 private:
  static StatusOr<Ref<Queue>> Check(KernelContext& ctx, QueueTuple* tuple) {
    MR_ASSIGN(Ref<Queue> queue, LookupInput<Queue>(ctx, 0));
    MR_RETURN_IF_ERROR(CheckSignature(ctx, *queue, true, 1));
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      tuple->push_back(ctx.TakeInput(i));
    }
    MR_RETURN_IF_ERROR(kMany ? queue->CheckBatch(*tuple)
                             : queue->CheckElement(*tuple));
    return queue;
  }
};

// Sets the outputs, then completes the node.
Queue::TupleDone Outputs(KernelContext& ctx, Done done) {
  return [&ctx, done = std::move(done)](StatusOr<QueueTuple> tuple) mutable {
    if (!tuple.ok()) return std::move(done)(tuple.status());
    for (int i = 0; i < ctx.num_outputs(); ++i) {
      ctx.set_output(i, std::move((*tuple)[static_cast<size_t>(i)]));
    }
    std::move(done)(OkStatus());
  };
}

class DequeueKernel {
 public:
  static StatusOr<DequeueKernel> Make(const KernelInit& init) {
    MR_RETURN_IF_ERROR(CheckTimeout(init));
    return DequeueKernel();
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Queue>> queue = LookupInput<Queue>(ctx, 0);
    Status status = queue.status();
    if (status.ok()) status = CheckSignature(ctx, **queue, false, 1);
    if (!status.ok()) return std::move(done)(std::move(status));
    (*queue)->Dequeue(QueueCaller::Of(ctx), Outputs(ctx, std::move(done)));
  }
};

class DequeueManyKernel {
 public:
  static StatusOr<DequeueManyKernel> Make(const KernelInit& init) {
    MR_RETURN_IF_ERROR(CheckTimeout(init));
    DequeueManyKernel k;
    k.up_to_ = init.node().op->name.find("UpTo") != std::string::npos;
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Queue>> queue = LookupInput<Queue>(ctx, 0);
    Status status = queue.status();
    if (status.ok()) status = Check(ctx, **queue);
    if (!status.ok()) return std::move(done)(std::move(status));
    (*queue)->DequeueMany(QueueCaller::Of(ctx), ctx.input(1).scalar<int32_t>(),
                          up_to_, Outputs(ctx, std::move(done)));
  }

 private:
  Status Check(KernelContext& ctx, const Queue& queue) const {
    MR_RETURN_IF_ERROR(CheckScalar(ctx.input(1), "n"));
    if (ctx.input(1).scalar<int32_t>() < 0) {
      return InvalidArgument(up_to_ ? "DequeueUpToOp" : "DequeueManyOp",
                             " requested ", ctx.input(1).scalar<int32_t>(),
                             " < 0 elements");
    }
    return CheckSignature(ctx, queue, false, 2);
  }
  bool up_to_ = false;
};

Status RunIsClosed(KernelContext& ctx) {
  MR_ASSIGN(const Ref<Queue> queue, LookupInput<Queue>(ctx, 0));
  ctx.set_output(0, Tensor::Scalar<bool>(queue->is_closed()));
  return OkStatus();
}

Status RunSize(KernelContext& ctx) {
  MR_ASSIGN(const Ref<Queue> queue, LookupInput<Queue>(ctx, 0));
  ctx.set_output(0,
                 Tensor::Scalar<int32_t>(static_cast<int32_t>(queue->size())));
  return OkStatus();
}

class FakeQueueKernel {
 public:
  static StatusOr<FakeQueueKernel> Make(const KernelInit& init) {
    FakeQueueKernel k;
    k.reference_ = MakeRef<Variable>(DataType::kString, init.node().name);
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_ASSIGN(const ResourcePlace place,
              PlaceFromInput(ctx, 0, Queue::kTypeName));
    reference_->Assign(
        Tensor::Vector<std::string>({place.container, place.name}));
    ctx.set_output_ref(0, reference_);
    return OkStatus();
  }

 private:
  Ref<Variable> reference_;
};

}  // namespace

MR_KERNELS(FIFOQueue, Cpu){
    {.make = MakeKernel<HandleKernel<Queue>>, .host = "handle", .cheap = true}};
MR_KERNELS(FIFOQueueV2, Cpu){
    {.make = MakeKernel<HandleKernel<Queue>>, .host = "handle", .cheap = true}};
MR_KERNELS(PaddingFIFOQueue, Cpu){
    {.make = MakeKernel<HandleKernel<Queue>>, .host = "handle", .cheap = true}};
MR_KERNELS(PaddingFIFOQueueV2, Cpu){
    {.make = MakeKernel<HandleKernel<Queue>>, .host = "handle", .cheap = true}};
MR_KERNELS(RandomShuffleQueue, Cpu){
    {.make = MakeKernel<HandleKernel<Queue>>, .host = "handle", .cheap = true}};
MR_KERNELS(RandomShuffleQueueV2, Cpu){
    {.make = MakeKernel<HandleKernel<Queue>>, .host = "handle", .cheap = true}};
MR_KERNELS(PriorityQueue, Cpu){
    {.make = MakeKernel<HandleKernel<Queue>>, .host = "handle", .cheap = true}};
MR_KERNELS(PriorityQueueV2, Cpu){
    {.make = MakeKernel<HandleKernel<Queue>>, .host = "handle", .cheap = true}};
MR_KERNELS(QueueEnqueue,
           Cpu){{.make = MakeKernel<EnqueueKernel<false>>, .host = "handle"}};
MR_KERNELS(QueueEnqueueV2,
           Cpu){{.make = MakeKernel<EnqueueKernel<false>>, .host = "handle"}};
MR_KERNELS(QueueEnqueueMany,
           Cpu){{.make = MakeKernel<EnqueueKernel<true>>, .host = "handle"}};
MR_KERNELS(QueueEnqueueManyV2,
           Cpu){{.make = MakeKernel<EnqueueKernel<true>>, .host = "handle"}};
MR_KERNELS(QueueDequeue,
           Cpu){{.make = MakeKernel<DequeueKernel>, .host = "handle"}};
MR_KERNELS(QueueDequeueV2,
           Cpu){{.make = MakeKernel<DequeueKernel>, .host = "handle"}};
MR_KERNELS(QueueDequeueMany,
           Cpu){{.make = MakeKernel<DequeueManyKernel>, .host = "handle, n"}};
MR_KERNELS(QueueDequeueManyV2,
           Cpu){{.make = MakeKernel<DequeueManyKernel>, .host = "handle, n"}};
MR_KERNELS(QueueDequeueUpTo,
           Cpu){{.make = MakeKernel<DequeueManyKernel>, .host = "handle, n"}};
MR_KERNELS(QueueDequeueUpToV2,
           Cpu){{.make = MakeKernel<DequeueManyKernel>, .host = "handle, n"}};
MR_KERNELS(QueueClose,
           Cpu){{.make = MakeKernel<CloseKernel<Queue>>, .host = "handle"}};
MR_KERNELS(QueueCloseV2,
           Cpu){{.make = MakeKernel<CloseKernel<Queue>>, .host = "handle"}};
MR_KERNELS(QueueIsClosed, Cpu){{.make = MakeFunctionKernel<RunIsClosed>,
                                .host = "handle, is_closed",
                                .cheap = true}};
MR_KERNELS(QueueIsClosedV2, Cpu){{.make = MakeFunctionKernel<RunIsClosed>,
                                  .host = "handle, is_closed",
                                  .cheap = true}};
MR_KERNELS(QueueSize, Cpu){{.make = MakeFunctionKernel<RunSize>,
                            .host = "handle, size",
                            .cheap = true}};
MR_KERNELS(QueueSizeV2, Cpu){{.make = MakeFunctionKernel<RunSize>,
                              .host = "handle, size",
                              .cheap = true}};
MR_KERNELS(FakeQueue, Cpu){{.make = MakeKernel<FakeQueueKernel>,
                            .host = "resource, handle",
                            .cheap = true}};

}  // namespace millrace::ops
