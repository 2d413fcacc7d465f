#include <utility>

#include "millrace/kernel/component_types.h"
#include "millrace/kernel/handle_kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/queue/close_kernel.h"
#include "millrace/ops/queue/queue.h"

namespace millrace::ops {
namespace {

// Says whether the components are put into the queue or taken from it.
enum class TupleSide { kInputs, kOutputs };

// Checks that the node's components, behind `fixed_inputs`, fit the queue's.
Status CheckComponents(KernelContext& ctx, const Queue& queue, TupleSide side,
                       int fixed_inputs) {
  const NodeInfo& node = ctx.node();
  const auto& types = queue.options().types;
  std::vector<DataType> inputs(node.input_types.begin(),
                               node.input_types.begin() + fixed_inputs);
  std::vector<DataType> outputs;
  auto& expected = side == TupleSide::kInputs ? inputs : outputs;
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
  MR_ASSIGN_OR_RETURN(const int64_t timeout_ms,
                      init.Attr<int64_t>("timeout_ms"));
  if (timeout_ms == -1) return OkStatus();
  return InvalidArgument("Timeout not supported yet.");
}

enum class Takes { kOne, kMany };

template <Takes kTakes>
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
    if constexpr (kTakes == Takes::kMany) {
      (*queue)->EnqueueMany(QueueCaller::Of(ctx), std::move(tuple),
                            std::move(done));
    } else {
      (*queue)->Enqueue(QueueCaller::Of(ctx), std::move(tuple),
                        std::move(done));
    }
  }

 private:
  static StatusOr<Ref<Queue>> Check(KernelContext& ctx, QueueTuple* tuple) {
    MR_ASSIGN_OR_RETURN(Ref<Queue> queue, LookupInput<Queue>(ctx, 0));
    MR_RETURN_IF_ERROR(CheckComponents(ctx, *queue, TupleSide::kInputs, 1));
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      tuple->push_back(ctx.TakeInput(i));
    }
    MR_RETURN_IF_ERROR(kTakes == Takes::kMany ? queue->CheckBatch(*tuple)
                                              : queue->CheckElement(*tuple));
    return queue;
  }
};

// Returns a callback that sets the outputs and completes the node.
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
    if (status.ok())
      status = CheckComponents(ctx, **queue, TupleSide::kOutputs, 1);
    if (!status.ok()) return std::move(done)(std::move(status));
    (*queue)->Dequeue(QueueCaller::Of(ctx), Outputs(ctx, std::move(done)));
  }
};

template <SmallBatch kSmallBatch>
class DequeueManyKernel {
 public:
  static StatusOr<DequeueManyKernel> Make(const KernelInit& init) {
    MR_RETURN_IF_ERROR(CheckTimeout(init));
    return DequeueManyKernel();
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Queue>> queue = LookupInput<Queue>(ctx, 0);
    Status status = queue.status();
    if (status.ok()) status = Check(ctx, **queue);
    if (!status.ok()) return std::move(done)(std::move(status));
    (*queue)->DequeueMany(QueueCaller::Of(ctx), Count(ctx), kSmallBatch,
                          Outputs(ctx, std::move(done)));
  }

 private:
  static int32_t Count(KernelContext& ctx) {
    return ctx.input(1).flat<int32_t>()[0];
  }
  Status Check(KernelContext& ctx, const Queue& queue) const {
    // TensorFlow takes a vector of one element, too.
    if (ctx.input(1).num_elements() != 1) {
      MR_RETURN_IF_ERROR(CheckScalar(ctx.input(1), "n"));
    }
    if (Count(ctx) < 0) {
      return InvalidArgument(
          kSmallBatch == SmallBatch::kAllow ? "DequeueUpToOp" : "DequeueManyOp",
          " requested ", Count(ctx), " < 0 elements");
    }
    return CheckComponents(ctx, queue, TupleSide::kOutputs, 2);
  }
};

Status RunIsClosed(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Queue> queue, LookupInput<Queue>(ctx, 0));
  ctx.set_output(0, Tensor::Scalar<bool>(queue->is_closed()));
  return OkStatus();
}

Status RunQueueSize(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Queue> queue, LookupInput<Queue>(ctx, 0));
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
    const Tensor& t = ctx.input(0);
    if (t.num_elements() != 1 || t.flat<ResourceElement>()[0] == nullptr) {
      return InvalidArgument("input 0 is not the handle of a resource");
    }
    // What looks the queue up finds out whether the handle is of one.
    const ResourceHandle& place = *t.flat<ResourceElement>()[0];
    reference_->Assign(
        Tensor::Vector<std::string>({place.container, place.name}));
    ctx.set_output_ref(0, reference_);
    return OkStatus();
  }

 private:
  Ref<Variable> reference_;
};

// Both generations of an op share an entry.
template <QueueKind kKind>
constexpr KernelEntry kMakes = {.make = MakeKernel<HandleKernel<Queue, kKind>>,
                                .host = "handle",
                                .cheap = true};
// Many elements may have to be copied.
template <Takes kTakes>
constexpr KernelEntry kEnqueues = {.make = MakeKernel<EnqueueKernel<kTakes>>,
                                   .host = "handle",
                                   .cheap = kTakes == Takes::kOne};
constexpr KernelEntry kDequeues = {
    .make = MakeKernel<DequeueKernel>, .host = "handle", .cheap = true};
template <SmallBatch kSmallBatch>
constexpr KernelEntry kDequeuesMany = {
    .make = MakeKernel<DequeueManyKernel<kSmallBatch>>, .host = "handle, n"};
constexpr KernelEntry kCloses = {.make = MakeKernel<CloseKernel<Queue>>,
                                 .host = "handle"};
constexpr KernelEntry kTellsIfClosed = {.make = MakeFunctionKernel<RunIsClosed>,
                                        .host = "handle, is_closed",
                                        .cheap = true};
constexpr KernelEntry kTellsSize = {.make = MakeFunctionKernel<RunQueueSize>,
                                    .host = "handle, size",
                                    .cheap = true};

}  // namespace

MR_KERNELS(FIFOQueue, Cpu){kMakes<QueueKind::kFifo>};
MR_KERNELS(FIFOQueueV2, Cpu){kMakes<QueueKind::kFifo>};
MR_KERNELS(PaddingFIFOQueue, Cpu){kMakes<QueueKind::kPaddingFifo>};
MR_KERNELS(PaddingFIFOQueueV2, Cpu){kMakes<QueueKind::kPaddingFifo>};
MR_KERNELS(RandomShuffleQueue, Cpu){kMakes<QueueKind::kRandomShuffle>};
MR_KERNELS(RandomShuffleQueueV2, Cpu){kMakes<QueueKind::kRandomShuffle>};
MR_KERNELS(PriorityQueue, Cpu){kMakes<QueueKind::kPriority>};
MR_KERNELS(PriorityQueueV2, Cpu){kMakes<QueueKind::kPriority>};
MR_KERNELS(QueueEnqueue, Cpu){kEnqueues<Takes::kOne>};
MR_KERNELS(QueueEnqueueV2, Cpu){kEnqueues<Takes::kOne>};
MR_KERNELS(QueueEnqueueMany, Cpu){kEnqueues<Takes::kMany>};
MR_KERNELS(QueueEnqueueManyV2, Cpu){kEnqueues<Takes::kMany>};
MR_KERNELS(QueueDequeue, Cpu){kDequeues};
MR_KERNELS(QueueDequeueV2, Cpu){kDequeues};
MR_KERNELS(QueueDequeueMany, Cpu){kDequeuesMany<SmallBatch::kRefuse>};
MR_KERNELS(QueueDequeueManyV2, Cpu){kDequeuesMany<SmallBatch::kRefuse>};
MR_KERNELS(QueueDequeueUpTo, Cpu){kDequeuesMany<SmallBatch::kAllow>};
MR_KERNELS(QueueDequeueUpToV2, Cpu){kDequeuesMany<SmallBatch::kAllow>};
MR_KERNELS(QueueClose, Cpu){kCloses};
MR_KERNELS(QueueCloseV2, Cpu){kCloses};
MR_KERNELS(QueueIsClosed, Cpu){kTellsIfClosed};
MR_KERNELS(QueueIsClosedV2, Cpu){kTellsIfClosed};
MR_KERNELS(QueueSize, Cpu){kTellsSize};
MR_KERNELS(QueueSizeV2, Cpu){kTellsSize};
MR_KERNELS(FakeQueue, Cpu){{.make = MakeKernel<FakeQueueKernel>,
                            .host = "resource, handle",
                            .cheap = true}};

}  // namespace millrace::ops
