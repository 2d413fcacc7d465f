#include "millrace/client/queues.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/base/hash/md5.h"
#include "millrace/client/op_builder.h"

namespace millrace {
namespace {

// Keeps the scope's own name for the next op; otherwise sets `name`.
Scope Named(const Scope& scope, absl::string_view name) {
  return scope.WithOpName(absl::StrCat(scope.TakeOpName(name), "/"));
}

// Returns the last part of "a/b/queue".
std::string LastPart(absl::string_view name) {
  const size_t slash = name.rfind('/');
  return std::string(slash == absl::string_view::npos ? name
                                                      : name.substr(slash + 1));
}

// Adds `input` to the list, as a value of the component's type.
Status AddComponent(const Input& input, DataType type,
                    std::vector<Input>* inputs) {
  if (input.is_literal()) {
    MR_ASSIGN_OR_RETURN(const Tensor value, input.literal().As(type));
    if (value.dtype() != type) {
      return InvalidArgument("a value of type ", DataTypeName(value.dtype()),
                             ", expected ", DataTypeName(type));
    }
    inputs->emplace_back(value);
    return OkStatus();
  }
  if (!input.output()) return InvalidArgument("a null output");
  if (input.output().dtype() != type) {
    return InvalidArgument(input.output().name(), " has type ",
                           DataTypeName(input.output().dtype()), ", expected ",
                           DataTypeName(type));
  }
  inputs->push_back(input);
  return OkStatus();
}

Status CheckShape(const Input& input, const PartialShape& element, bool rows) {
  const PartialShape given =
      input.is_literal() ? PartialShape(input.literal().tensor().shape())
                         : input.output().shape();
  const PartialShape wanted =
      rows ? PartialShape({kUnknownDim}).Concatenate(element) : element;
  if (given.IsCompatibleWith(wanted)) return OkStatus();
  return InvalidArgument("Shapes ", given.DebugString(), " and ",
                         wanted.DebugString(), " are incompatible");
}

Status CheckShapes(const std::vector<PartialShape>& shapes, size_t components,
                   bool is_padding) {
  if (shapes.size() != components) {
    return InvalidArgument("Queue shapes must have the same length as dtypes, ",
                           "received len(shapes)=", shapes.size(),
                           ", len(dtypes)=", components);
  }
  for (const PartialShape& shape : shapes) {
    if (shape.IsFullyDefined() || (is_padding && shape.known_rank())) continue;
    return InvalidArgument(is_padding ? "Shapes must have a known rank: "
                                      : "All shapes must be fully defined: ",
                           shape.DebugString());
  }
  return OkStatus();
}

// With a graph's seed alone an op's seed comes from its number in the graph,
// which differs between programs that share the queue; so this seed depends on
// the name. TensorFlow uses the same digest.
int64_t SeedOfSharedName(int64_t graph_seed, const std::string& shared_name) {
  const std::string digest =
      Md5Hex(absl::StrCat(graph_seed, shared_name)).substr(0, 8);
  return std::stoll(digest, nullptr, 16) & 0x7FFFFFFF;
}

}  // namespace

struct Queue::State {
  Output handle;
  std::string short_name;  // without its block
  std::vector<DataType> dtypes;
  std::vector<PartialShape> shapes;
};

Queue::Queue(const Scope& scope, const Kind& kind, std::vector<DataType> dtypes,
             const QueueOptions& options) {
  // Also after an error, so that dequeues have the right number of outputs.
  auto state = std::make_shared<State>();
  state->dtypes = kind.lead;
  state->dtypes.insert(state->dtypes.end(), dtypes.begin(), dtypes.end());
  state_ = state;
  const std::vector<PartialShape>& shapes = options.shapes;
  if (!shapes.empty() || kind.is_padding) {
    const Status status = CheckShapes(shapes, dtypes.size(), kind.is_padding);
    if (!status.ok()) {
      scope.Fail(status, kind.default_name);
      return;
    }
    state->shapes.assign(kind.lead.size(), PartialShape(TensorShape()));
    state->shapes.insert(state->shapes.end(), shapes.begin(), shapes.end());
  }
  OpBuilder op(Named(scope, kind.default_name), kind.op);
  op.Attr("component_types", dtypes)
      .Attr("shapes", shapes)
      .Attr("capacity", options.capacity)
      .Attr("shared_name", options.shared_name);
  for (const auto& [name, value] : kind.attrs) op.Attr(name.c_str(), value);
  op.Finish();
  state->handle = op.Out(0);
  state->short_name = LastPart(state->handle.op().name());
}

StatusOr<Queue> Queue::FromHandle(const Output& handle) {
  if (!handle) return InvalidArgument("the handle of a queue is null");
  const Operation& op = handle.op();
  auto types = op.Attr<AttrValue::TypeList>("component_types");
  auto shapes = op.Attr<AttrValue::ShapeList>("shapes");
  if (!types.ok() || !shapes.ok()) {
    return InvalidArgument("the op '", op.name(), "' (", op.type(),
                           ") makes no queue");
  }
  auto state = std::make_shared<State>();
  state->handle = handle;
  state->short_name = LastPart(op.name());
  if (absl::StartsWith(op.type(), "PriorityQueue")) {
    state->dtypes.push_back(DataType::kInt64);
    if (!shapes->empty()) state->shapes.emplace_back(TensorShape());
  }
  state->dtypes.insert(state->dtypes.end(), types->begin(), types->end());
  state->shapes.insert(state->shapes.end(), shapes->begin(), shapes->end());
  Queue queue;
  queue.state_ = std::move(state);
  return queue;
}

const Queue::State& Queue::state() const {
  static const State* const none = new State;
  return state_ ? *state_ : *none;
}
const Output& Queue::handle() const { return state().handle; }
const std::vector<DataType>& Queue::dtypes() const { return state().dtypes; }
const std::vector<PartialShape>& Queue::shapes() const {
  return state().shapes;
}

namespace {

// An operation on `handle`, whose other inputs are not set yet.
struct Use {
  Use(const Scope& scope, const Output& handle, const std::string& queue,
      const char* op, const char* suffix)
      : builder(Named(scope, absl::StrCat(queue, suffix)),
                absl::StrCat(op, handle.is_ref() ? "" : "V2")) {
    builder.In(handle);
  }
  OpBuilder builder;
};

}  // namespace

Operation Queue::Put(const Scope& scope, const char* op, const char* suffix,
                     const InputList& components, Holds holds) const {
  if (!*this) return {};
  std::vector<Input> inputs;
  Status status;
  if (components.size() != dtypes().size()) {
    status = InvalidArgument("an element of ", name(), " has ", dtypes().size(),
                             " components, got ", components.size());
  }
  for (size_t i = 0; status.ok() && i < components.size(); ++i) {
    status = AddComponent(components[i], dtypes()[i], &inputs);
    if (status.ok() && !shapes().empty()) {
      status = CheckShape(inputs.back(), shapes()[i], holds == Holds::kRows);
    }
    if (status.ok()) continue;
    status =
        Prefix(absl::StrCat("component ", i, " of ", name(), ": "), status);
  }
  if (!status.ok()) {
    scope.Fail(status, absl::StrCat(state_->short_name, suffix));
    return {};
  }
  Use use(scope, handle(), state_->short_name, op, suffix);
  return use.builder.In(InputList(std::move(inputs))).Finish();
}

std::vector<Output> Queue::Take(const Scope& scope, const char* op,
                                const char* suffix, const Input* n) const {
  if (!*this) return std::vector<Output>(dtypes().size());
  Use use(scope, handle(), state_->short_name, op, suffix);
  if (n) use.builder.In(*n);
  use.builder.Attr("component_types", dtypes()).Finish();
  return use.builder.OutList(0);
}

Output Queue::Ask(const Scope& scope, const char* op,
                  const char* suffix) const {
  if (!*this) return {};
  Use use(scope, handle(), state_->short_name, op, suffix);
  use.builder.Finish();
  return use.builder.Out(0);
}

Operation Queue::Enqueue(const Scope& scope,
                         const InputList& components) const {
  return Put(scope, "QueueEnqueue", "_enqueue", components, Holds::kTuple);
}
Operation Queue::EnqueueMany(const Scope& scope,
                             const InputList& components) const {
  return Put(scope, "QueueEnqueueMany", "_EnqueueMany", components,
             Holds::kRows);
}
std::vector<Output> Queue::Dequeue(const Scope& scope) const {
  return Take(scope, "QueueDequeue", "_Dequeue", nullptr);
}
std::vector<Output> Queue::DequeueMany(const Scope& scope,
                                       const Input& n) const {
  return Take(scope, "QueueDequeueMany", "_DequeueMany", &n);
}
std::vector<Output> Queue::DequeueUpTo(const Scope& scope,
                                       const Input& n) const {
  return Take(scope, "QueueDequeueUpTo", "_DequeueUpTo", &n);
}
Output Queue::IsClosed(const Scope& scope) const {
  return Ask(scope, "QueueIsClosed", "_Is_Closed");
}
Output Queue::Size(const Scope& scope) const {
  return Ask(scope, "QueueSize", "_Size");
}

Operation Queue::Close(const Scope& scope,
                       const QueueCloseOptions& options) const {
  if (!*this) return {};
  Use use(scope, handle(), state_->short_name, "QueueClose", "_Close");
  return use.builder
      .Attr("cancel_pending_enqueues", options.cancel_pending_enqueues)
      .Finish();
}

FIFOQueue::FIFOQueue(const Scope& scope, std::vector<DataType> dtypes,
                     const QueueOptions& options)
    : Queue(scope, {.op = "FIFOQueueV2", .default_name = "fifo_queue"},
            std::move(dtypes), options) {}

PaddingFIFOQueue::PaddingFIFOQueue(const Scope& scope,
                                   std::vector<DataType> dtypes,
                                   const QueueOptions& options)
    : Queue(scope,
            {.op = "PaddingFIFOQueueV2",
             .default_name = "padding_fifo_queue",
             .is_padding = true},
            std::move(dtypes), options) {}

RandomShuffleQueue::RandomShuffleQueue(const Scope& scope,
                                       std::vector<DataType> dtypes,
                                       int64_t min_after_dequeue,
                                       const RandomShuffleQueueOptions& options)
    : Queue(scope,
            [&] {
              auto [seed1, seed2] = scope.Seeds(options.seed);
              if (!options.seed && scope.graph().random_seed() &&
                  !options.shared_name.empty()) {
                seed2 = SeedOfSharedName(seed1, options.shared_name);
              }
              Kind kind{.op = "RandomShuffleQueueV2",
                        .default_name = "random_shuffle_queue"};
              kind.attrs.Set("min_after_dequeue", min_after_dequeue);
              kind.attrs.Set("seed", seed1);
              kind.attrs.Set("seed2", seed2);
              return kind;
            }(),
            std::move(dtypes),
            {.capacity = options.capacity,
             .shapes = options.shapes,
             .shared_name = options.shared_name}) {}

PriorityQueue::PriorityQueue(const Scope& scope, std::vector<DataType> dtypes,
                             const QueueOptions& options)
    : Queue(scope,
            {.op = "PriorityQueueV2",
             .default_name = "priority_queue",
             .lead = {DataType::kInt64}},
            std::move(dtypes), options) {}

}  // namespace millrace
