#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace {
namespace {

// A resource handle also tells what the queue holds.
Status QueueShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::HandleShape(c));
  if (c.op().outputs[0].is_ref) return OkStatus();
  MR_ASSIGN(auto types, c.Attr<AttrValue::TypeList>("component_types"));
  MR_ASSIGN(auto shapes, c.Attr<AttrValue::ShapeList>("shapes"));
  if (shapes.size() != types.size()) return OkStatus();
  std::vector<HandleShape> handles;
  if (c.op().name == "PriorityQueueV2") {
    handles.push_back({DataType::kInt64, PartialShape({})});
  }
  for (size_t i = 0; i < types.size(); ++i) {
    handles.push_back({types[i], shapes[i]});
  }
  c.set_output_handles(0, std::move(handles));
  return OkStatus();
}

// Outputs are `rows` in front of what the handle tells.
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

}  // namespace
}  // namespace millrace

namespace millrace::ops {

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

// An op that makes a queue: `handle` is Ref(string) or resource.
#define MR_MAKES_QUEUE(handle, attributes, text)                           \
  {                                                                        \
    .outputs = "handle: " handle, .attrs = attributes, .flags = kStateful, \
    .shape = QueueShape, .doc = text,                                      \
  }
// An operation on a queue. Those on resources are stateful.
#define MR_USES_QUEUE(handle, ins, outs, attributes, bits, function, text) \
  {                                                                        \
    .inputs = "handle: " handle ins, .outputs = outs, .attrs = attributes, \
    .flags = bits, .shape = function, .doc = text,                         \
  }

MR_OP(FIFOQueue)
MR_MAKES_QUEUE("Ref(string)", MR_FIFO_ATTRS, "A queue: first in, first out.");
MR_OP(FIFOQueueV2)
MR_MAKES_QUEUE("resource", MR_FIFO_ATTRS, "A queue: first in, first out.");
MR_OP(PaddingFIFOQueue)
MR_MAKES_QUEUE("Ref(string)", MR_FIFO_ATTRS,
               "A FIFO queue whose batches are padded in unknown dimensions.");
MR_OP(PaddingFIFOQueueV2)
MR_MAKES_QUEUE("resource", MR_FIFO_ATTRS,
               "A FIFO queue whose batches are padded in unknown dimensions.");
MR_OP(RandomShuffleQueue)
MR_MAKES_QUEUE("Ref(string)", MR_SHUFFLE_ATTRS,
               "A queue that gives its elements in random order.");
MR_OP(RandomShuffleQueueV2)
MR_MAKES_QUEUE("resource", MR_SHUFFLE_ATTRS,
               "A queue that gives its elements in random order.");
MR_OP(PriorityQueue)
MR_MAKES_QUEUE(
    "Ref(string)", MR_PRIORITY_ATTRS,
    "A queue that gives its smallest first component (int64) first.");
MR_OP(PriorityQueueV2)
MR_MAKES_QUEUE(
    "resource", MR_PRIORITY_ATTRS,
    "A queue that gives its smallest first component (int64) first.");

#define MR_ENQUEUE_ATTRS "Tcomponents: list(type) >= 1; timeout_ms: int = -1"
#define MR_DEQUEUE_ATTRS \
  "component_types: list(type) >= 1; timeout_ms: int = -1"

MR_OP(QueueEnqueue)
MR_USES_QUEUE("Ref(string)", ", components: Tcomponents", "", MR_ENQUEUE_ATTRS,
              0, shapes::NoOutputs,
              "Adds an element; waits while the queue is full.");
MR_OP(QueueEnqueueV2)
MR_USES_QUEUE("resource", ", components: Tcomponents", "", MR_ENQUEUE_ATTRS,
              kStateful, shapes::NoOutputs,
              "Adds an element; waits while the queue is full.");
MR_OP(QueueEnqueueMany)
MR_USES_QUEUE("Ref(string)", ", components: Tcomponents", "", MR_ENQUEUE_ATTRS,
              0, shapes::NoOutputs,
              "Adds the rows of a batch; waits while there is no room.");
MR_OP(QueueEnqueueManyV2)
MR_USES_QUEUE("resource", ", components: Tcomponents", "", MR_ENQUEUE_ATTRS,
              kStateful, shapes::NoOutputs,
              "Adds the rows of a batch; waits while there is no room.");
MR_OP(QueueDequeue)
MR_USES_QUEUE("Ref(string)", "", "components: component_types",
              MR_DEQUEUE_ATTRS, 0, DequeueShape,
              "Takes an element; waits while there is none.");
MR_OP(QueueDequeueV2)
MR_USES_QUEUE("resource", "", "components: component_types", MR_DEQUEUE_ATTRS,
              kStateful, DequeueShape,
              "Takes an element; waits while there is none.");
MR_OP(QueueDequeueMany)
MR_USES_QUEUE("Ref(string)", ", n: int32", "components: component_types",
              MR_DEQUEUE_ATTRS, 0, DequeueManyShape,
              "Takes `n` elements as a batch; waits for all of them.");
MR_OP(QueueDequeueManyV2)
MR_USES_QUEUE("resource", ", n: int32", "components: component_types",
              MR_DEQUEUE_ATTRS, kStateful, DequeueManyShape,
              "Takes `n` elements as a batch; waits for all of them.");
MR_OP(QueueDequeueUpTo)
MR_USES_QUEUE("Ref(string)", ", n: int32", "components: component_types",
              MR_DEQUEUE_ATTRS, 0, DequeueUpToShape,
              "QueueDequeueMany that takes fewer from a closed queue.");
MR_OP(QueueDequeueUpToV2)
MR_USES_QUEUE("resource", ", n: int32", "components: component_types",
              MR_DEQUEUE_ATTRS, kStateful, DequeueUpToShape,
              "QueueDequeueMany that takes fewer from a closed queue.");
MR_OP(QueueClose)
MR_USES_QUEUE("Ref(string)", "", "", "cancel_pending_enqueues: bool = false", 0,
              shapes::NoOutputs, "No more elements come in.");
MR_OP(QueueCloseV2)
MR_USES_QUEUE("resource", "", "", "cancel_pending_enqueues: bool = false",
              kStateful, shapes::NoOutputs, "No more elements come in.");
MR_OP(QueueIsClosed)
MR_USES_QUEUE("Ref(string)", "", "is_closed: bool", "", 0, ops::ScalarsOfHandle,
              "Whether the queue was closed.");
MR_OP(QueueIsClosedV2)
MR_USES_QUEUE("resource", "", "is_closed: bool", "", kStateful,
              ops::ScalarsOfHandle, "Whether the queue was closed.");
MR_OP(QueueSize)
MR_USES_QUEUE("Ref(string)", "", "size: int32", "", 0, ops::ScalarsOfHandle,
              "The number of elements.");
MR_OP(QueueSizeV2)
MR_USES_QUEUE("resource", "", "size: int32", "", kStateful,
              ops::ScalarsOfHandle, "The number of elements.");

MR_OP(FakeQueue){
    .inputs = "resource: resource",
    .outputs = "handle: Ref(string)",
    .flags = kStateful,
    .shape = FakeQueueShape,
    .doc = "The reference handle of a queue with a resource handle.",
};

}  // namespace millrace::ops
