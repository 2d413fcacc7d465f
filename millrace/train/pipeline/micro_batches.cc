#include "millrace/train/pipeline/micro_batches.h"

#include "millrace/client/ops.h"

namespace millrace::train {
namespace {

Status CheckBatch(const Output& tensor, int64_t count) {
  if (!tensor) return InvalidArgument("a tensor of the batch is null");
  const PartialShape shape = tensor.shape();
  if (shape.known_rank() && shape.rank() == 0) {
    return InvalidArgument(
        "a batch should have examples along its first "
        "dimension, found the scalar ",
        tensor.name());
  }
  const int64_t examples = shape.dim(0);
  if (examples != kUnknownDim && examples % count != 0) {
    return InvalidArgument("a batch of ", examples,
                           " examples cannot be cut into ", count,
                           " micro-batches of one size: ", tensor.name(),
                           " has shape ", shape.DebugString());
  }
  return OkStatus();
}

}  // namespace

std::vector<std::vector<Output>> MicroBatches(
    const Scope& scope, const std::vector<Output>& tensors, int64_t count) {
  if (tensors.empty() || count < 1) {
    scope.Fail(InvalidArgument("expected at least one tensor and one "
                               "micro-batch, got ",
                               tensors.size(), " tensors and ", count,
                               " micro-batches"),
               "MicroBatches");
    return {};
  }
  for (const Output& tensor : tensors) {
    if (const Status fits = CheckBatch(tensor, count); !fits.ok()) {
      scope.Fail(fits, "MicroBatches");
      return {};
    }
  }
  if (count == 1) return {tensors};
  std::vector<std::vector<Output>> batches(static_cast<size_t>(count));
  for (const Output& tensor : tensors) {
    const std::vector<Output> slices =
        ops::Split(scope.WithOpName("micro_batches"), 0, tensor, count);
    if (slices.size() != batches.size()) return {};
    for (size_t i = 0; i < slices.size(); ++i) batches[i].push_back(slices[i]);
  }
  return batches;
}

std::vector<Output> WholeBatch(
    const Scope& scope, const std::vector<std::vector<Output>>& micro_batches) {
  if (micro_batches.size() == 1) return micro_batches[0];
  std::vector<Output> wholes;
  for (size_t k = 0; k < micro_batches[0].size(); ++k) {
    std::vector<Output> slices;
    for (const std::vector<Output>& tensors : micro_batches) {
      slices.push_back(tensors[k]);
    }
    if (slices[0].shape().known_rank() && slices[0].shape().rank() == 0) {
      scope.Fail(InvalidArgument("a batch should have examples along its "
                                 "first dimension, found the scalar ",
                                 slices[0].name()),
                 "WholeBatch");
      return {};
    }
    wholes.push_back(ops::ConcatV2(scope.WithOpName("whole_batch"), slices, 0));
    if (!wholes.back()) return {};
  }
  return wholes;
}

}  // namespace millrace::train
