#include "millrace/train/input/input_producers.h"

#include "absl/strings/str_cat.h"
#include "millrace/client/graph_keys.h"
#include "millrace/client/ops.h"
#include "millrace/train/input/queue_runner.h"
#include "millrace/train/input/queue_summary.h"

namespace millrace::train {
namespace {

constexpr char kBlock[] = "input_producer";

std::string FullnessName(int64_t capacity) {
  return absl::StrCat("fraction_of_", capacity, "_full");
}

// Returns a row's shape: the tensor's shape without its first dimension, merged
// with the given one.
StatusOr<PartialShape> RowShape(const PartialShape& tensor,
                                const PartialShape& said) {
  PartialShape row;
  if (tensor.known_rank()) {
    if (tensor.rank() == 0) {
      return InvalidArgument("input_tensor must have at least one dimension");
    }
    row = PartialShape(tensor.dims().subspan(1));
  }
  MR_ASSIGN_OR_RETURN(row, row.Merge(said));
  if (row.IsFullyDefined()) return row;
  return InvalidArgument(
      "Either `input_tensor` must have a fully defined shape or "
      "`element_shape` must be specified; it has ",
      tensor.DebugString());
}

// Builds the producer in `block`, with a queue named by `queue_scope`.
Queue Produce(const Scope& block, const Scope& queue_scope, Output rows,
              const PartialShape& element_shape,
              const InputProducerOptions& options,
              const std::string& summary_name) {
  if (!rows) return {};
  const StatusOr<PartialShape> shape = RowShape(rows.shape(), element_shape);
  if (!shape.ok()) {
    block.Fail(shape.status(), kBlock);
    return {};
  }
  if (options.shuffle) {
    const auto [seed, seed2] = block.Seeds(options.seed);
    rows = ops::RandomShuffle(block, rows, {.seed = seed, .seed2 = seed2});
  }
  rows = LimitEpochs(block, rows, options.num_epochs);
  if (!rows) return {};
  const FIFOQueue queue(queue_scope, {rows.dtype()},
                        {.capacity = options.capacity,
                         .shapes = {*shape},
                         .shared_name = options.shared_name});
  if (!queue) return {};
  AddQueueRunner(block,
                 QueueRunner(block, queue, {queue.EnqueueMany(block, {rows})},
                             {.cancel_op = options.cancel_op}));
  if (!summary_name.empty()) {
    AddFullnessSummary(block, queue, summary_name, options.capacity);
  }
  return queue;
}

}  // namespace

Output LimitEpochs(const Scope& scope, const Input& tensor,
                   std::optional<int64_t> num_epochs) {
  if (!num_epochs) return AsOutput(scope, tensor, "tensor");
  if (*num_epochs <= 0) {
    scope.Fail(InvalidArgument("num_epochs must be > 0 not ", *num_epochs, "."),
               "limit_epochs");
    return {};
  }
  const Scope block = scope.BlockFor("limit_epochs");
  const Output value = AsOutput(block, tensor, "tensor");
  const ops::Variable epochs(
      block.WithOpName("epochs"), Tensor::Scalar<int64_t>(0),
      {.trainable = false, .collections = {graph_keys::kLocalVariables}});
  const Output counter = ops::CountUpTo(block, epochs.handle(), *num_epochs);
  return ops::Identity(NamedAsBlock(block).WithControlDependencies({counter}),
                       value);
}

Queue InputProducer(const Scope& scope, const Input& input_tensor,
                    const InputProducerOptions& options) {
  const Scope block = scope.BlockFor(kBlock);
  return Produce(block, block.WithOpName("FIFOQueueV2"),
                 AsOutput(block, input_tensor, "input_tensor"),
                 options.element_shape, options, options.summary_name);
}

Queue StringInputProducer(const Scope& scope, const Input& string_tensor,
                          const InputProducerOptions& options) {
  constexpr char kEmpty[] =
      "string_input_producer requires a non-null input tensor";
  const Scope block = scope.BlockFor(kBlock);
  const Output given = AsOutput(block, string_tensor, "Const");
  if (!given) return {};
  if (given.dtype() != DataType::kString || given.shape().num_elements() == 0) {
    scope.Fail(InvalidArgument(kEmpty, " of strings"), kBlock);
    return {};
  }
  const Operation check = ops::Assert(
      block, ops::Greater(block, ops::Size(block, given), 0), {Input(kEmpty)});
  const Output strings =
      ops::Identity(block.WithControlDependencies({check}), given);
  return Produce(block, NamedAsBlock(block), strings, PartialShape({}), options,
                 FullnessName(options.capacity));
}

Queue RangeInputProducer(const Scope& scope, const Input& limit,
                         const InputProducerOptions& options) {
  const Scope block = scope.BlockFor(kBlock);
  const Output numbers = ops::Range(block.WithOpName("range"), 0, limit, 1);
  return Produce(block, NamedAsBlock(block), numbers, PartialShape({}), options,
                 FullnessName(options.capacity));
}

std::vector<Output> SliceInputProducer(const Scope& scope,
                                       const InputList& tensors,
                                       const InputProducerOptions& options) {
  const Scope block = scope.BlockFor(kBlock);
  std::vector<Output> rows(tensors.size());
  if (tensors.size() == 0) {
    scope.Fail(InvalidArgument(
                   "Expected at least one tensor in slice_input_producer()."),
               kBlock);
    return rows;
  }
  std::vector<Output> all;
  for (const Input& tensor : tensors.all()) {
    all.push_back(AsOutput(block, tensor, "Const"));
  }
  const Output count = ops::StridedSlice(block.WithOpName("strided_slice"),
                                         ops::Shape(block, all[0]), {0}, {1},
                                         {1}, {.shrink_axis_mask = 1});
  const Queue numbers = RangeInputProducer(block, count, options);
  if (!numbers) return rows;
  const Output number = numbers.Dequeue(block)[0];
  for (size_t i = 0; i < all.size(); ++i) {
    rows[i] = ops::GatherV2(block.WithOpName("Gather"), all[i], number, 0);
  }
  return rows;
}

ops::Variable MatchFilenamesOnce(const Scope& scope, const Input& pattern) {
  const Scope block = scope.BlockFor("matching_filenames");
  return ops::Variable(NamedAsBlock(block), ops::MatchingFiles(block, pattern),
                       {.trainable = false,
                        .collections = {graph_keys::kLocalVariables},
                        .validate_shape = false});
}

}  // namespace millrace::train
