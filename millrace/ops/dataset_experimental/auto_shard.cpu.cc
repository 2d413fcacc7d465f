// AutoShardDataset: every n-th file, or else every n-th element.
#include <algorithm>

#include "millrace/ops/dataset/same_iterator.h"
#include "millrace/ops/dataset/shard.h"

namespace millrace::ops {
namespace {

enum AutoShardPolicy : int64_t {
  kShardOff = -1,
  kShardFilesOrData = 0,
  kShardFiles = 1,
  kShardData = 2,
  kShardHints = 3,  // no op makes the hints that it would follow
};

// Bounds the data sets that are looked at: an input may occur many times.
constexpr int kMostShardedInputs = 10'000;

StatusOr<DatasetRef> ShardOf(const DatasetRef& dataset, const ShardParams& p) {
  MR_ASSIGN_OR_RETURN(const int depth, DepthAbove({dataset}));
  auto made = MakeRef<DatasetOf<ShardIterator>>(
      dataset->signature(), depth, std::vector<DatasetRef>{dataset}, p);
  MR_RETURN_IF_ERROR(made->Charge());
  return DatasetRef(std::move(made));
}

// Returns `dataset` with every source of it, of files or of their names,
// reduced to the part of one worker. Returns NOT_FOUND if a source is neither.
StatusOr<DatasetRef> WithShardsOfFiles(const DatasetRef& dataset,
                                       const ShardParams& p, int* left) {
  if (DatasetRef shard = dataset->ShardOfFiles(p.shards, p.index)) return shard;
  if (dataset->inputs().empty() || --*left < 0) {
    return NotFound("Found an unshardable source dataset: ", dataset->op());
  }
  const bool opens = dataset->OpensFiles();
  std::vector<DatasetRef> inputs;
  for (const DatasetRef& input : dataset->inputs()) {
    MR_ASSIGN_OR_RETURN(
        DatasetRef shard,
        opens ? ShardOf(input, p) : WithShardsOfFiles(input, p, left));
    inputs.push_back(std::move(shard));
  }
  DatasetRef made = dataset->WithInputs(std::move(inputs));
  if (made == nullptr) {
    return NotFound("Found an unshardable source dataset: ", dataset->op());
  }
  return made;
}

StatusOr<Ref<DatasetValue>> BuildAutoShard(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  ShardParams p;
  MR_ASSIGN_OR_RETURN(p.shards, ScalarInput<int64_t>(ctx, 1, "num_workers"));
  if (p.shards <= 0) {
    return InvalidArgument("num_workers must be greater than zero.");
  }
  MR_ASSIGN_OR_RETURN(p.index, ScalarInput<int64_t>(ctx, 2, "index"));
  if (p.index < 0 || p.index >= p.shards) {
    return InvalidArgument("index must be between 0 and ", p.shards - 1);
  }
  MR_ASSIGN_OR_RETURN(const int64_t policy,
                      GetAttr<int64_t>(ctx.node().attrs, "auto_shard_policy"));
  if (policy < kShardOff || policy > kShardHints) {
    return InvalidArgument("auto_shard_policy is invalid.");
  }
  if (ctx.node().attrs.Find("num_replicas") != nullptr) {
    MR_ASSIGN_OR_RETURN(const int64_t replicas,
                        GetAttr<int64_t>(ctx.node().attrs, "num_replicas"));
    if (replicas < 0) {
      return InvalidArgument("num_replicas should be >= 0, but is ", replicas);
    }
  }
  if (policy == kShardOff || policy == kShardHints || p.shards == 1) {
    return MakeDataset<SameIterator>(ctx, {input}, {});
  }
  if (policy != kShardData) {
    int left = kMostShardedInputs;
    StatusOr<DatasetRef> sharded = WithShardsOfFiles(input, p, &left);
    if (sharded.ok()) {
      return MakeDataset<SameIterator>(ctx, {*std::move(sharded)}, {});
    }
    if (policy == kShardFiles) return sharded.status();
  }
  return MakeDataset<ShardIterator>(ctx, {input}, p);
}

}  // namespace

MR_KERNELS(AutoShardDataset, Cpu){MR_DATASET_KERNEL(BuildAutoShard)};
MR_KERNELS(ExperimentalAutoShardDataset,
           Cpu){MR_DATASET_KERNEL(BuildAutoShard)};

}  // namespace millrace::ops
