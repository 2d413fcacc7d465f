// Kernels that return the input as it is: the server itself chooses options and
// threads.
#include <algorithm>
#include <limits>

#include "millrace/ops/dataset/same_iterator.h"
#include "millrace/ops/summary/summary_message.h"

namespace millrace::ops {
namespace {

StatusOr<Ref<DatasetValue>> BuildSame(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  return MakeDataset<SameIterator>(ctx, {input}, {});
}

StatusOr<Ref<DatasetValue>> BuildDeclared(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  return MakeDataset<DeclaredIteratorOf<NoParams>>(ctx, {input}, {});
}

StatusOr<Ref<DatasetValue>> BuildWithOptions(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(
      const std::string options,
      GetAttr<std::string>(ctx.node().attrs, "serialized_options"));
  if (!IsMessage(options)) {
    return InvalidArgument(
        "Could not parse serialized_options as valid Options.");
  }
  return BuildSame(ctx);
}

StatusOr<Ref<DatasetValue>> BuildRewritten(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(StringInput(ctx, 1, "rewrite_name").status());
  return BuildSame(ctx);
}

Status CheckBudget(KernelContext& ctx, absl::string_view attr,
                   absl::string_view what) {
  MR_ASSIGN_OR_RETURN(const int64_t budget,
                      GetAttr<int64_t>(ctx.node().attrs, attr));
  if (budget >= 0) return OkStatus();
  return InvalidArgument(what, " budget must be positive but is ", budget, ".");
}

StatusOr<Ref<DatasetValue>> BuildModel(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckBudget(ctx, "cpu_budget", "CPU"));
  MR_RETURN_IF_ERROR(CheckBudget(ctx, "ram_budget", "RAM"));
  return BuildSame(ctx);
}

// Requires input 1, a number of threads, to be from 0 to `most`.
Status CheckThreads(KernelContext& ctx, absl::string_view name, int64_t most) {
  MR_ASSIGN_OR_RETURN(const int64_t threads,
                      ScalarInput<int64_t>(ctx, 1, name));
  if (threads >= 0 && threads <= most) return OkStatus();
  return InvalidArgument("`", name, "` must be >= 0 and at most ", most,
                         ", but is ", threads);
}

StatusOr<Ref<DatasetValue>> BuildWithParallelism(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(CheckThreads(ctx, "max_intra_op_parallelism",
                                  std::numeric_limits<int64_t>::max()));
  return BuildSame(ctx);
}

StatusOr<Ref<DatasetValue>> BuildWithThreads(KernelContext& ctx) {
  MR_RETURN_IF_ERROR(
      CheckThreads(ctx, "num_threads", std::numeric_limits<int32_t>::max()));
  return BuildSame(ctx);
}

StatusOr<Ref<DatasetValue>> BuildOptimized(KernelContext& ctx) {
  if (ctx.input(1).rank() != 1) {
    return InvalidArgument("optimizations must be a vector");
  }
  MR_ASSIGN_OR_RETURN(
      const AttrValue::StringList configs,
      GetAttr<AttrValue::StringList>(ctx.node().attrs, "optimization_configs"));
  for (const std::string& config : configs) {
    if (std::count(config.begin(), config.end(), ':') == 2) continue;
    return Internal(
        "Wrong format for optimizer options. Expect <optimizer name>:<config "
        "key>:<config value>, received: ",
        config);
  }
  return BuildSame(ctx);
}

}  // namespace

MR_KERNELS(OptionsDataset, Cpu){MR_DATASET_KERNEL(BuildWithOptions)};
MR_KERNELS(RewriteDataset, Cpu){MR_DATASET_KERNEL(BuildRewritten)};
MR_KERNELS(ModelDataset, Cpu){MR_DATASET_KERNEL(BuildModel)};
MR_KERNELS(FinalizeDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(MaxIntraOpParallelismDataset,
           Cpu){MR_DATASET_KERNEL(BuildWithParallelism)};
MR_KERNELS(ExperimentalMaxIntraOpParallelismDataset,
           Cpu){MR_DATASET_KERNEL(BuildWithParallelism)};
MR_KERNELS(PrivateThreadPoolDataset, Cpu){MR_DATASET_KERNEL(BuildWithThreads)};
MR_KERNELS(ExperimentalPrivateThreadPoolDataset,
           Cpu){MR_DATASET_KERNEL(BuildWithThreads)};
MR_KERNELS(NonSerializableDataset, Cpu){MR_DATASET_KERNEL(BuildDeclared)};
MR_KERNELS(ExperimentalNonSerializableDataset,
           Cpu){MR_DATASET_KERNEL(BuildDeclared)};
MR_KERNELS(OptimizeDataset, Cpu){MR_DATASET_KERNEL(BuildOptimized)};

}  // namespace millrace::ops
