// Kernels of pools of threads for data sets. A pool has no threads: data sets
// run on those of the server.
#include "millrace/kernel/handle_kernel.h"
#include "millrace/ops/dataset/same_iterator.h"

namespace millrace::ops {
namespace {

class ThreadPoolResource final : public Resource {
 public:
  static constexpr absl::string_view kTypeName =
      "tensorflow::data::experimental::ThreadPoolResource";

  // The interface that HandleKernel requires.
  struct Options {};
  static StatusOr<Options> OptionsFrom(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const int32_t threads,
                        init.Attr<int32_t>("num_threads"));
    MR_RETURN_IF_ERROR(init.Attr<int32_t>("max_intra_op_parallelism").status());
    if (threads < 0) return InvalidArgument("`num_threads` must be >= 0");
    return Options{};
  }
  Status CheckOptions(const Options&) const { return OkStatus(); }
  ThreadPoolResource(const Options&, const std::string&) {}

  absl::string_view type_name() const override { return kTypeName; }
  std::string DebugString() const override { return "thread pool"; }
};

StatusOr<Ref<DatasetValue>> BuildWithThreadPool(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef input, DatasetOfInput(ctx, 0));
  MR_RETURN_IF_ERROR(LookupInput<ThreadPoolResource>(ctx, 1).status());
  return MakeDataset<SameIterator>(ctx, {input}, {});
}

}  // namespace

MR_KERNELS(ThreadPoolDataset, Cpu){MR_DATASET_KERNEL(BuildWithThreadPool)};
MR_KERNELS(ExperimentalThreadPoolDataset,
           Cpu){MR_DATASET_KERNEL(BuildWithThreadPool)};
MR_KERNELS(ThreadPoolHandle, Cpu){
    {.make = MakeKernel<HandleKernel<ThreadPoolResource>>, .cheap = true}};
MR_KERNELS(ExperimentalThreadPoolHandle, Cpu){
    {.make = MakeKernel<HandleKernel<ThreadPoolResource>>, .cheap = true}};

}  // namespace millrace::ops
