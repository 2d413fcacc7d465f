// Kernels that return the input as it is: the server itself chooses options and
// threads.
#include "millrace/ops/dataset/same_iterator.h"

namespace millrace::ops {
namespace {

StatusOr<Ref<DatasetValue>> BuildSame(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  return MakeDataset<SameIterator>(ctx, {input}, {});
}

StatusOr<Ref<DatasetValue>> BuildOptimized(KernelContext& ctx) {
  if (ctx.input(1).rank() != 1) {
    return InvalidArgument("optimizations must be a vector");
  }
  return BuildSame(ctx);
}

}  // namespace

MR_KERNELS(OptionsDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(RewriteDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(ModelDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(FinalizeDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(MaxIntraOpParallelismDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(ExperimentalMaxIntraOpParallelismDataset,
           Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(PrivateThreadPoolDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(ExperimentalPrivateThreadPoolDataset,
           Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(NonSerializableDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(ExperimentalNonSerializableDataset,
           Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(OptimizeDataset, Cpu){MR_DATASET_KERNEL(BuildOptimized)};

}  // namespace millrace::ops
