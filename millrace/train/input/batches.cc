#include "millrace/train/input/batches.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"
#include "millrace/train/input/chosen_enqueue.h"
#include "millrace/train/input/queue_runner.h"
#include "millrace/train/input/queue_summary.h"

namespace millrace::train {
namespace {

// The arguments that the eight functions have in common.
struct Request {
  const char* name;
  std::vector<InputList> lists;
  Input keep = true;
  Input batch_size = 0;
  int64_t num_threads = 1;  // of one list; several lists have one each
  bool is_shuffled = false;
  ShuffleBatchOptions options;
  bool dynamic_pad = false;
};

// Returns the tensors of all lists, which have the same types.
StatusOr<std::vector<std::vector<Output>>> Tensors(
    const Scope& block, const std::vector<InputList>& lists) {
  if (lists.empty() || lists[0].size() == 0) {
    return InvalidArgument("Expected at least one tensor in each list of a ",
                           "batch.");
  }
  std::vector<std::vector<Output>> tensors;
  for (const InputList& list : lists) {
    std::vector<Output>& row = tensors.emplace_back();
    for (const Input& input : list.all()) {
      row.push_back(AsOutput(block, input, "Const"));
      if (!row.back()) return InvalidArgument("a tensor of a batch is null");
    }
    const std::vector<Output>& first = tensors.front();
    bool same = row.size() == first.size();
    for (size_t i = 0; same && i < row.size(); ++i) {
      same = row[i].dtype() == first[i].dtype();
    }
    if (!same) {
      return InvalidArgument("Expected types to be consistent in all lists of ",
                             "a batch.");
    }
  }
  return tensors;
}

// Returns the shape of an example's component, by the first list; those of the
// others must be compatible.
StatusOr<PartialShape> ComponentShape(
    const std::vector<std::vector<Output>>& tensors, size_t component,
    bool enqueue_many) {
  std::optional<PartialShape> shape;
  for (const std::vector<Output>& list : tensors) {
    PartialShape given = list[component].shape();
    if (!given.known_rank()) {
      return InvalidArgument("Cannot infer Tensor's rank: ",
                             list[component].name());
    }
    if (enqueue_many) {
      if (given.rank() == 0) {
        return InvalidArgument("Shape ", given.DebugString(), " of ",
                               list[component].name(),
                               " must have rank at least 1");
      }
      given = PartialShape(given.dims().subspan(1));
    }
    if (!shape) shape = given;
    MR_RETURN_IF_ERROR(shape->Merge(given).status());
  }
  return *shape;
}

StatusOr<std::vector<PartialShape>> ComponentShapes(
    const std::vector<std::vector<Output>>& tensors,
    const ShuffleBatchOptions& options) {
  if (!options.shapes.empty()) return options.shapes;
  std::vector<PartialShape> shapes;
  for (size_t i = 0; i < tensors[0].size(); ++i) {
    MR_ASSIGN_OR_RETURN(PartialShape shape,
                        ComponentShape(tensors, i, options.enqueue_many));
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

Queue MakeQueue(const Scope& block, const Request& request,
                const std::vector<Output>& tensors,
                std::vector<PartialShape> shapes) {
  std::vector<DataType> types;
  for (const Output& tensor : tensors) types.push_back(tensor.dtype());
  const ShuffleBatchOptions& from = request.options;
  if (request.is_shuffled) {
    return RandomShuffleQueue(block, types, from.min_after_dequeue,
                              {.capacity = from.capacity,
                               .shapes = std::move(shapes),
                               .shared_name = from.shared_name,
                               .seed = from.seed});
  }
  const QueueOptions options{.capacity = from.capacity,
                             .shapes = std::move(shapes),
                             .shared_name = from.shared_name};
  if (request.dynamic_pad) return PaddingFIFOQueue(block, types, options);
  return FIFOQueue(block, types, options);
}

StatusOr<std::vector<Output>> Build(const Scope& block,
                                    const Request& request) {
  const ShuffleBatchOptions& options = request.options;
  if (request.is_shuffled && options.capacity <= options.min_after_dequeue) {
    return InvalidArgument("capacity ", options.capacity,
                           " must be bigger than min_after_dequeue ",
                           options.min_after_dequeue, ".");
  }
  if (request.num_threads < 1) {
    return InvalidArgument("num_threads must be positive, not ",
                           request.num_threads);
  }
  MR_ASSIGN_OR_RETURN(const auto tensors, Tensors(block, request.lists));
  const Output keep = AsOutput(block, request.keep, "keep_input");
  MR_RETURN_IF_ERROR(CheckKeepInput(keep, options.enqueue_many));
  MR_ASSIGN_OR_RETURN(auto shapes, ComponentShapes(tensors, options));
  const Queue queue = MakeQueue(block, request, tensors[0], std::move(shapes));
  std::vector<Operation> enqueues;
  for (const std::vector<Output>& list : tensors) {
    enqueues.push_back(
        EnqueueIf(block, queue, list, keep, options.enqueue_many));
  }
  if (enqueues.size() == 1) {
    enqueues.resize(static_cast<size_t>(request.num_threads), enqueues[0]);
  }
  MR_RETURN_IF_ERROR(block.status());
  AddQueueRunner(block, QueueRunner(block, queue, enqueues));
  AddFullnessSummary(
      block, queue,
      request.is_shuffled
          ? absl::StrCat("fraction_over_", options.min_after_dequeue, "_of_",
                         options.capacity - options.min_after_dequeue, "_full")
          : absl::StrCat("fraction_of_", options.capacity, "_full"),
      options.capacity, options.min_after_dequeue);
  const Scope last = NamedAsBlock(block);
  return options.allow_smaller_final_batch
             ? queue.DequeueUpTo(last, request.batch_size)
             : queue.DequeueMany(last, request.batch_size);
}

std::vector<Output> BuildOrFail(const Scope& scope, const Request& request) {
  const Scope block = scope.BlockFor(request.name);
  StatusOr<std::vector<Output>> batch = Build(block, request);
  if (batch.ok()) return *std::move(batch);
  scope.Fail(batch.status(), request.name);
  return std::vector<Output>(request.lists.empty() ? 0
                                                   : request.lists[0].size());
}

// Returns the request for an unshuffled batch.
Request Plain(const char* name, std::vector<InputList> lists,
              const Input& batch_size, const BatchOptions& options) {
  return {.name = name,
          .lists = std::move(lists),
          .batch_size = batch_size,
          .num_threads = options.num_threads,
          .options = {.capacity = options.capacity,
                      .enqueue_many = options.enqueue_many,
                      .shapes = options.shapes,
                      .allow_smaller_final_batch =
                          options.allow_smaller_final_batch,
                      .shared_name = options.shared_name},
          .dynamic_pad = options.dynamic_pad};
}

Request Shuffled(const char* name, std::vector<InputList> lists,
                 const Input& batch_size, const ShuffleBatchOptions& options) {
  return {.name = name,
          .lists = std::move(lists),
          .batch_size = batch_size,
          .num_threads = options.num_threads,
          .is_shuffled = true,
          .options = options};
}

Request If(const Input& keep, Request request) {
  request.keep = keep;
  return request;
}

}  // namespace

std::vector<Output> Batch(const Scope& scope, const InputList& tensors,
                          const Input& batch_size,
                          const BatchOptions& options) {
  return BuildOrFail(scope, Plain("batch", {tensors}, batch_size, options));
}
std::vector<Output> MaybeBatch(const Scope& scope, const InputList& tensors,
                               const Input& keep_input, const Input& batch_size,
                               const BatchOptions& options) {
  return BuildOrFail(
      scope, If(keep_input, Plain("batch", {tensors}, batch_size, options)));
}
std::vector<Output> BatchJoin(const Scope& scope,
                              const std::vector<InputList>& lists,
                              const Input& batch_size,
                              const BatchOptions& options) {
  return BuildOrFail(scope, Plain("batch_join", lists, batch_size, options));
}
std::vector<Output> MaybeBatchJoin(const Scope& scope,
                                   const std::vector<InputList>& lists,
                                   const Input& keep_input,
                                   const Input& batch_size,
                                   const BatchOptions& options) {
  return BuildOrFail(
      scope, If(keep_input, Plain("batch_join", lists, batch_size, options)));
}

std::vector<Output> ShuffleBatch(const Scope& scope, const InputList& tensors,
                                 const Input& batch_size,
                                 const ShuffleBatchOptions& options) {
  return BuildOrFail(scope,
                     Shuffled("shuffle_batch", {tensors}, batch_size, options));
}
std::vector<Output> MaybeShuffleBatch(const Scope& scope,
                                      const InputList& tensors,
                                      const Input& keep_input,
                                      const Input& batch_size,
                                      const ShuffleBatchOptions& options) {
  return BuildOrFail(scope, If(keep_input, Shuffled("shuffle_batch", {tensors},
                                                    batch_size, options)));
}
std::vector<Output> ShuffleBatchJoin(const Scope& scope,
                                     const std::vector<InputList>& lists,
                                     const Input& batch_size,
                                     const ShuffleBatchOptions& options) {
  return BuildOrFail(
      scope, Shuffled("shuffle_batch_join", lists, batch_size, options));
}
std::vector<Output> MaybeShuffleBatchJoin(const Scope& scope,
                                          const std::vector<InputList>& lists,
                                          const Input& keep_input,
                                          const Input& batch_size,
                                          const ShuffleBatchOptions& options) {
  return BuildOrFail(scope, If(keep_input, Shuffled("shuffle_batch_join", lists,
                                                    batch_size, options)));
}

}  // namespace millrace::train
