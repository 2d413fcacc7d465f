// OneShotIterator: an iterator that its own kernel initializes.
#include "millrace/kernel/function_runner.h"
#include "millrace/kernel/handle_kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/iterator_resource.h"

namespace millrace::ops {
namespace {

class OneShotKernel {
 public:
  static StatusOr<std::unique_ptr<OneShotKernel>> Make(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(const std::string name,
                        init.Attr<std::string>("shared_name"));
    if (!name.empty()) {
      return InvalidArgument(
          "OneShotIteratorOp does not currently support the 'shared_name' "
          "attr.");
    }
    std::unique_ptr<OneShotKernel> k(new OneShotKernel);
    MR_ASSIGN_OR_RETURN(k->factory_,
                        init.Attr<AttrValue::Func>("dataset_factory"));
    MR_ASSIGN_OR_RETURN(k->handle_, HandleKernel<IteratorResource>::Make(init));
    return k;
  }

  // Every step that finds no data set calls the function, and the first call
  // that returns begins the iterator; so no step waits for another one.
  void RunAsync(KernelContext& ctx, Done done) const {
    auto iterator = handle_->FindOrMake(ctx);
    if (!iterator.ok()) return std::move(done)(iterator.status());
    if ((*iterator)->begun()) return std::move(done)(handle_->Run(ctx));
    FunctionRunner* const functions = ctx.step().functions;
    if (functions == nullptr) {
      return std::move(done)(FailedPrecondition("the step has no functions"));
    }
    const auto factory = functions->Instantiate(*factory_);
    if (!factory.ok()) return std::move(done)(factory.status());
    functions->Run(
        ctx, *factory, {}, FunctionRunner::Views::kBind,
        [this, &ctx, iterator = *std::move(iterator), done = std::move(done)](
            Status status, std::vector<Tensor> results) mutable {
          if (status.ok()) status = Begin(ctx, *iterator, results);
          if (status.ok()) status = handle_->Run(ctx);
          std::move(done)(std::move(status));
        });
  }

 private:
  static Status Begin(KernelContext& ctx, IteratorResource& iterator,
                      const std::vector<Tensor>& results) {
    if (results.size() != 1 || results[0].dtype() != DataType::kVariant ||
        results[0].rank() != 0) {
      return InvalidArgument(
          "The `dataset_factory` function must return a single scalar of dtype "
          "DT_VARIANT.");
    }
    MR_ASSIGN_OR_RETURN(const DatasetRef dataset, DatasetOfTensor(results[0]));
    return iterator.SetDataset(ctx, dataset, IteratorResource::Begins::kOnce);
  }

  AttrValue::Func factory_;
  std::unique_ptr<HandleKernel<IteratorResource>> handle_;
};

}  // namespace

MR_KERNELS(OneShotIterator, Cpu){{.make = MakeKernel<OneShotKernel>}};

}  // namespace millrace::ops
