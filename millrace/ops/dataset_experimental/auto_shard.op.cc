#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

#define MR_AUTO_SHARD_ATTRS "auto_shard_policy: int = 0; " MR_ELEMENT_ATTRS

consteval OpFields AutoShard(const char* attrs) {
  return {
      .inputs = "input_dataset: variant, num_workers: int64, index: int64",
      .outputs = "handle: variant",
      .attrs = attrs,
      .flags = kElementShapesUnread,
      .shape = shapes::Scalar,
      .doc = "The part of a data set, or of its files, that one worker reads.",
  };
}

}  // namespace

MR_OP(AutoShardDataset)
(AutoShard(MR_AUTO_SHARD_ATTRS "; num_replicas: int = 0"));

MR_OP(ExperimentalAutoShardDataset)(AutoShard(MR_AUTO_SHARD_ATTRS));

}  // namespace millrace::ops
