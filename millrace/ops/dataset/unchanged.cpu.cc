// Kernels that return the input as it is: the server itself chooses options and
// threads.
#include "millrace/ops/dataset/derived.h"

namespace millrace::ops {
namespace {

class SameIterator final : public DerivedIterator<NoParams> {
 public:
  using DerivedIterator::DerivedIterator;
  StatusOr<Pull> Next(PollContext& ctx, Element* out) override {
    return ctx.Next(*input_, out);
  }
  Status Save(StateWriter& out, const std::string& prefix) override {
    return input_->Save(out, prefix);
  }
  Status Restore(StateReader& in, const std::string& prefix) override {
    return input_->Restore(in, prefix);
  }
  static int64_t Cardinality(const Parts& d) { return d.input().Cardinality(); }
};

StatusOr<Ref<DatasetValue>> BuildSame(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  return MakeDataset<SameIterator>(ctx, {input}, {});
}

}  // namespace

MR_KERNELS(OptionsDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(RewriteDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(ModelDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(FinalizeDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(MaxIntraOpParallelismDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};
MR_KERNELS(PrivateThreadPoolDataset, Cpu){MR_DATASET_KERNEL(BuildSame)};

}  // namespace millrace::ops
