#include <utility>

#include "millrace/ops/queue/by_reference.op.h"
#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace::ops {
namespace {

// Sets what the handle tells of the queue's elements, if it is a resource; a
// reference tells nothing. `first` comes before what the attributes say.
Status HandleOfQueue(ShapeContext& c,
                     std::vector<millrace::HandleShape> first) {
  MR_RETURN_IF_ERROR(HandleShape(c));
  if (c.op().outputs[0].is_ref) return OkStatus();
  MR_ASSIGN_OR_RETURN(auto types,
                      c.Attr<AttrValue::TypeList>("component_types"));
  MR_ASSIGN_OR_RETURN(auto shapes, c.Attr<AttrValue::ShapeList>("shapes"));
  if (shapes.size() != types.size()) return OkStatus();
  std::vector<millrace::HandleShape> handles = std::move(first);
  for (size_t i = 0; i < types.size(); ++i) {
    handles.push_back({types[i], shapes[i]});
  }
  c.set_output_handles(0, std::move(handles));
  return OkStatus();
}

Status QueueShape(ShapeContext& c) { return HandleOfQueue(c, {}); }

// The first component is the priority.
Status PriorityQueueShape(ShapeContext& c) {
  return HandleOfQueue(c, {{DataType::kInt64, PartialShape({})}});
}

// Sets the outputs to `rows` followed by the shapes that the handle tells.
Status DequeuedShapes(ShapeContext& c, const PartialShape& rows) {
  const auto& handles = c.input_handles(0);
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (static_cast<int>(handles.size()) != c.num_outputs()) {
      c.set_output(i, PartialShape());
    } else {
      c.set_output(i, rows.Concatenate(handles[static_cast<size_t>(i)].shape));
    }
  }
  return OkStatus();
}

Status DequeueShape(ShapeContext& c) {
  return DequeuedShapes(c, PartialShape({}));
}

Status DequeueManyShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  if (c.op().inputs[0].is_ref) return shapes::Unknown(c);
  const Tensor* const n = c.input_value(1);
  if (n == nullptr) return DequeuedShapes(c, PartialShape({kUnknownDim}));
  if (n->scalar<int32_t>() < 0) {
    return InvalidArgument("Input 'n' must be >= 0, but is ",
                           n->scalar<int32_t>());
  }
  return DequeuedShapes(c, PartialShape({n->scalar<int32_t>()}));
}

Status DequeueUpToShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  if (c.op().inputs[0].is_ref) return shapes::Unknown(c);
  return DequeuedShapes(c, PartialShape({kUnknownDim}));
}

Status FakeQueueShape(ShapeContext& c) { return c.Return(PartialShape({2})); }

#define MR_QUEUE_TYPES \
  "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; "

#define MR_QUEUE_NAME "container: string = ''; shared_name: string = ''"

#define MR_FIFO_ATTRS MR_QUEUE_TYPES "capacity: int = -1; " MR_QUEUE_NAME

#define MR_SHUFFLE_ATTRS                                                   \
  MR_QUEUE_TYPES                                                           \
  "capacity: int = -1; min_after_dequeue: int = 0; seed: int = 0; seed2: " \
  "int = 0; " MR_QUEUE_NAME

#define MR_PRIORITY_ATTRS                                             \
  "component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; " \
  "capacity: int = -1; " MR_QUEUE_NAME

constexpr OpFields kFifoQueue = {
    .outputs = "handle: resource",
    .attrs = MR_FIFO_ATTRS,
    .flags = kStateful,
    .shape = QueueShape,
    .doc = "A queue: first in, first out.",
};

constexpr OpFields kPaddingFifoQueue = {
    .outputs = "handle: resource",
    .attrs = MR_FIFO_ATTRS,
    .flags = kStateful,
    .shape = QueueShape,
    .doc = "A FIFO queue whose batches are padded in unknown dimensions.",
};

constexpr OpFields kRandomShuffleQueue = {
    .outputs = "handle: resource",
    .attrs = MR_SHUFFLE_ATTRS,
    .flags = kStateful,
    .shape = QueueShape,
    .doc = "A queue that gives its elements in random order.",
};

constexpr OpFields kPriorityQueue = {
    .outputs = "handle: resource",
    .attrs = MR_PRIORITY_ATTRS,
    .flags = kStateful,
    .shape = PriorityQueueShape,
    .doc = "A queue that gives its smallest first component (int64) first.",
};

#define MR_ENQUEUE_ATTRS "Tcomponents: list(type) >= 1; timeout_ms: int = -1"

#define MR_DEQUEUE_ATTRS \
  "component_types: list(type) >= 1; timeout_ms: int = -1"

constexpr OpFields kEnqueue = {
    .inputs = "handle: resource, components: Tcomponents",
    .attrs = MR_ENQUEUE_ATTRS,
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc = "Adds an element; waits while the queue is full.",
};

constexpr OpFields kEnqueueMany = {
    .inputs = "handle: resource, components: Tcomponents",
    .attrs = MR_ENQUEUE_ATTRS,
    .flags = kStateful | kKeepsInputs,
    .shape = shapes::NoOutputs,
    .doc = "Adds the rows of a batch; waits while there is no room.",
};

constexpr OpFields kDequeue = {
    .inputs = "handle: resource",
    .outputs = "components: component_types",
    .attrs = MR_DEQUEUE_ATTRS,
    .flags = kStateful,
    .shape = DequeueShape,
    .doc = "Takes an element; waits while there is none.",
};

constexpr OpFields kDequeueMany = {
    .inputs = "handle: resource, n: int32",
    .outputs = "components: component_types",
    .attrs = MR_DEQUEUE_ATTRS,
    .flags = kStateful,
    .shape = DequeueManyShape,
    .doc = "Takes `n` elements as a batch; waits for all of them.",
};

constexpr OpFields kDequeueUpTo = {
    .inputs = "handle: resource, n: int32",
    .outputs = "components: component_types",
    .attrs = MR_DEQUEUE_ATTRS,
    .flags = kStateful,
    .shape = DequeueUpToShape,
    .doc = "QueueDequeueMany that takes fewer from a closed queue.",
};

constexpr OpFields kClose = {
    .inputs = "handle: resource",
    .attrs = "cancel_pending_enqueues: bool = false",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "No more elements come in.",
};

constexpr OpFields kIsClosed = {
    .inputs = "handle: resource",
    .outputs = "is_closed: bool",
    .flags = kStateful,
    .shape = ScalarsOfHandle,
    .doc = "Returns whether the queue is closed.",
};

constexpr OpFields kSize = {
    .inputs = "handle: resource",
    .outputs = "size: int32",
    .flags = kStateful,
    .shape = ScalarsOfHandle,
    .doc = "The number of elements.",
};

}  // namespace

MR_OP(FIFOQueueV2)(kFifoQueue);

MR_OP(FIFOQueue)(ByReference<kFifoQueue>());

MR_OP(PaddingFIFOQueueV2)(kPaddingFifoQueue);

MR_OP(PaddingFIFOQueue)(ByReference<kPaddingFifoQueue>());

MR_OP(RandomShuffleQueueV2)(kRandomShuffleQueue);

MR_OP(RandomShuffleQueue)(ByReference<kRandomShuffleQueue>());

MR_OP(PriorityQueueV2)(kPriorityQueue);

MR_OP(PriorityQueue)(ByReference<kPriorityQueue>());

MR_OP(QueueEnqueueV2)(kEnqueue);

MR_OP(QueueEnqueue)(ByReference<kEnqueue>());

MR_OP(QueueEnqueueManyV2)(kEnqueueMany);

MR_OP(QueueEnqueueMany)(ByReference<kEnqueueMany>());

MR_OP(QueueDequeueV2)(kDequeue);

MR_OP(QueueDequeue)(ByReference<kDequeue>());

MR_OP(QueueDequeueManyV2)(kDequeueMany);

MR_OP(QueueDequeueMany)(ByReference<kDequeueMany>());

MR_OP(QueueDequeueUpToV2)(kDequeueUpTo);

MR_OP(QueueDequeueUpTo)(ByReference<kDequeueUpTo>());

MR_OP(QueueCloseV2)(kClose);

MR_OP(QueueClose)(ByReference<kClose>());

MR_OP(QueueIsClosedV2)(kIsClosed);

MR_OP(QueueIsClosed)(ByReference<kIsClosed>());

MR_OP(QueueSizeV2)(kSize);

MR_OP(QueueSize)(ByReference<kSize>());

MR_OP(FakeQueue){
    .inputs = "resource: resource",
    .outputs = "handle: Ref(string)",
    .flags = kStateful,
    .shape = FakeQueueShape,
    .doc = "The reference handle of a queue with a resource handle.",
};

}  // namespace millrace::ops
