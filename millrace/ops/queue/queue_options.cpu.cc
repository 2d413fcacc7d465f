#include <limits>

#include "millrace/kernel/component_types.h"
#include "millrace/ops/queue/queue.h"

namespace millrace::ops {
namespace {

Status CheckShapes(Queue::Options& o) {
  if (o.kind == QueueKind::kPaddingFifo) {
    for (const PartialShape& shape : o.shapes) {
      if (!shape.known_rank()) {
        return InvalidArgument("shape ", shape.DebugString(),
                               " must have known rank.");
      }
    }
    if (o.shapes.size() < o.types.size() && o.shapes.empty()) {
      return InvalidArgument(
          "Shapes must be provided for all components, but received ",
          o.types.size(), " dtypes and ", o.shapes.size(), " shapes.");
    }
  } else {
    for (PartialShape& shape : o.shapes) {
      if (!shape.known_rank()) shape = PartialShape({});  // as in stock
      if (!shape.IsFullyDefined()) {
        return InvalidArgument("Shape ", shape.DebugString(),
                               " is not fully defined");
      }
    }
  }
  if (!o.shapes.empty() && o.shapes.size() != o.types.size()) {
    return InvalidArgument(
        "Different number of component types.  Types: ", TypesText(o.types),
        ", Shapes: ", ShapesText(o.shapes));
  }
  return OkStatus();
}

}  // namespace

const char* KindName(QueueKind kind) {
  switch (kind) {
    case QueueKind::kFifo:
      return "FIFOQueue";
    case QueueKind::kRandomShuffle:
      return "RandomShuffleQueue";
    case QueueKind::kPaddingFifo:
      return "PaddingFIFOQueue";
    case QueueKind::kPriority:
      return "PriorityQueue";
  }
  return "Queue";
}

StatusOr<Queue::Options> Queue::OptionsFrom(const KernelInit& init,
                                            QueueKind kind) {
  Options o;
  o.op = init.node().op->name;
  o.kind = kind;
  MR_ASSIGN_OR_RETURN(o.types,
                      init.Attr<AttrValue::TypeList>("component_types"));
  MR_ASSIGN_OR_RETURN(o.shapes, init.Attr<AttrValue::ShapeList>("shapes"));
  if (o.kind == QueueKind::kPriority) {
    o.types.insert(o.types.begin(), DataType::kInt64);
    if (!o.shapes.empty()) o.shapes.insert(o.shapes.begin(), PartialShape({}));
  }
  MR_RETURN_IF_ERROR(CheckShapes(o));
  MR_ASSIGN_OR_RETURN(o.capacity, init.Attr<int32_t>("capacity"));
  if (o.capacity < 0) o.capacity = std::numeric_limits<int32_t>::max();
  if (o.kind == QueueKind::kRandomShuffle) {
    MR_ASSIGN_OR_RETURN(o.min_after_dequeue,
                        init.Attr<int32_t>("min_after_dequeue"));
    MR_ASSIGN_OR_RETURN(o.seed, init.Attr<int64_t>("seed"));
    MR_ASSIGN_OR_RETURN(o.seed2, init.Attr<int64_t>("seed2"));
    if (o.min_after_dequeue < 0) {
      return InvalidArgument("min_after_dequeue ", o.min_after_dequeue,
                             " must be >= 0");
    }
    if (o.min_after_dequeue >= o.capacity) {
      return InvalidArgument("min_after_dequeue ", o.min_after_dequeue,
                             " must be < capacity ", o.capacity);
    }
  }
  return o;
}

Status Queue::CheckOptions(const Options& o) const {
  const Options& mine = options_;
  if (o.kind != mine.kind) {
    return InvalidArgument("Expected ", KindName(mine.kind), ", found ", o.op);
  }
  if (o.capacity != mine.capacity) {
    return InvalidArgument("Shared queue '", name_, "' has capacity ",
                           mine.capacity, " but requested capacity was ",
                           o.capacity);
  }
  MR_RETURN_IF_ERROR(ExpectSameComponents("queue", name_, mine.types,
                                          mine.shapes, o.types, o.shapes));
  if (o.min_after_dequeue != mine.min_after_dequeue) {
    return InvalidArgument("Shared queue '", name_, "' has min_after_dequeue ",
                           mine.min_after_dequeue,
                           " but requested min_after_dequeue was ",
                           o.min_after_dequeue, ".");
  }
  // A user that gives no seeds takes those that there are.
  const bool has_seeds = o.seed != 0 || o.seed2 != 0;
  if (has_seeds && (o.seed != mine.seed || o.seed2 != mine.seed2)) {
    return InvalidArgument(
        "Shared queue '", name_, "' has random seeds (", mine.seed, ", ",
        mine.seed2, ") but requested seeds are (", o.seed, ", ", o.seed2, ").");
  }
  return OkStatus();
}

Status Queue::CheckElement(const QueueTuple& element) const {
  for (size_t i = 0; i < options_.shapes.size(); ++i) {
    const TensorShape& shape = element[i].shape();
    if (!options_.shapes[i].IsCompatibleWith(shape)) {
      return InvalidArgument("Shape mismatch in tuple component ", i,
                             ". Expected ", options_.shapes[i].DebugString(),
                             ", got ", shape.DebugString());
    }
  }
  if (options_.kind == QueueKind::kPriority && element[0].rank() != 0) {
    return InvalidArgument(
        "Expected the priority element to be a scalar, but received shape: ",
        element[0].shape().DebugString());
  }
  return OkStatus();
}

Status Queue::CheckBatch(const QueueTuple& batch) const {
  for (size_t i = 0; i < batch.size(); ++i) {
    if (batch[i].rank() == 0) {
      return InvalidArgument("Shape mismatch in tuple component ", i,
                             ". Expected a batch, got []");
    }
  }
  const int64_t rows = batch[0].dim(0);
  for (size_t i = 0; i < batch.size(); ++i) {
    const TensorShape& shape = batch[i].shape();
    if (!options_.shapes.empty()) {
      const PartialShape expected =
          PartialShape({rows}).Concatenate(options_.shapes[i]);
      if (!expected.IsCompatibleWith(shape)) {
        return InvalidArgument("Shape mismatch in tuple component ", i,
                               ". Expected ", expected.DebugString(), ", got ",
                               shape.DebugString());
      }
    } else if (shape.dim(0) != rows) {
      return InvalidArgument(
          "All input tensors must have the same size in the 0th dimension. "
          "Component ",
          i, " has ", shape.dim(0), ", and should have ", rows);
    }
  }
  if (options_.kind == QueueKind::kPriority && batch[0].rank() != 1) {
    return InvalidArgument(
        "Expected the priority element to be a vector, but received shape: ",
        batch[0].shape().DebugString());
  }
  return OkStatus();
}

}  // namespace millrace::ops
