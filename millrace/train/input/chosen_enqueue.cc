#include "millrace/train/input/chosen_enqueue.h"

#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

Operation EnqueueAll(const Scope& scope, const Queue& queue,
                     const std::vector<Output>& tensors, bool enqueue_many) {
  return enqueue_many ? queue.EnqueueMany(scope, tensors)
                      : queue.Enqueue(scope, tensors);
}

// Returns the rows whose element of `keep` is true.
std::vector<Output> ChosenRows(const Scope& scope,
                               const std::vector<Output>& tensors,
                               const Output& keep) {
  const Output part = ops::Cast(scope, keep, DataType::kInt32);
  std::vector<Output> chosen;
  for (const Output& tensor : tensors) {
    chosen.push_back(ops::DynamicPartition(scope, tensor, part, 2)[1]);
  }
  return chosen;
}

// Builds a conditional whose other branch does nothing.
Operation EnqueueInBranch(const Scope& scope, const Queue& queue,
                          const std::vector<Output>& tensors,
                          const Output& keep, bool enqueue_many) {
  const Scope block = scope.SubScope("cond");
  const auto pivot = ops::Switch(block, keep, keep);
  std::vector<Output> inside;
  for (const Output& tensor : tensors) {
    inside.push_back(
        ops::Switch(block.ColocateWith(tensor), tensor, keep).output_true);
  }
  // Dead inputs keep it from running.
  const Operation enqueue = EnqueueAll(block, queue, inside, enqueue_many);
  const Output done = ops::Identity(block.WithControlDependencies({enqueue}),
                                    pivot.output_true);
  const Output skipped = ops::Identity(block, pivot.output_false);
  return ops::Merge(block, {skipped, done}).operation;
}

}  // namespace

Status CheckKeepInput(const Output& keep, bool enqueue_many) {
  if (!keep) return InvalidArgument("`keep_input` is null");
  if (keep.dtype() != DataType::kBool) {
    return InvalidArgument("`keep_input` must be bool, not ",
                           DataTypeName(keep.dtype()));
  }
  const PartialShape shape = keep.shape();
  if (!shape.known_rank()) {
    return InvalidArgument(
        "`keep_input` dimensions must be known at graph construction.");
  }
  if (!enqueue_many && shape.rank() == 1) {
    return InvalidArgument(
        "`keep_input` cannot be a vector when `enqueue_many=False`.");
  }
  if (shape.rank() > 1) {
    return InvalidArgument("`keep_input` must be 0 or 1 dimensions.");
  }
  return OkStatus();
}

Operation EnqueueIf(const Scope& scope, const Queue& queue,
                    const std::vector<Output>& tensors, const Output& keep,
                    bool enqueue_many) {
  if (keep.shape().rank() == 1) {
    return queue.EnqueueMany(scope, ChosenRows(scope, tensors, keep));
  }
  const std::optional<Tensor> known = ConstantValue(keep);
  if (!known) {
    return EnqueueInBranch(scope, queue, tensors, keep, enqueue_many);
  }
  if (known->scalar<bool>()) {
    return EnqueueAll(scope, queue, tensors, enqueue_many);
  }
  return ops::NoOp(scope);
}

}  // namespace millrace::train
