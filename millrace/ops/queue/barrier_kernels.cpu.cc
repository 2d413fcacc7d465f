#include "millrace/kernel/component_types.h"
#include "millrace/kernel/handle_kernel.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/kernel/resource_handle.h"
#include "millrace/ops/array/element_types.h"
#include "millrace/ops/queue/barrier.h"
#include "millrace/ops/queue/close_kernel.h"

namespace millrace::ops {
namespace {

class InsertManyKernel {
 public:
  static StatusOr<InsertManyKernel> Make(const KernelInit& init) {
    InsertManyKernel k;
    MR_ASSIGN_OR_RETURN(k.component_, init.Attr<int32_t>("component_index"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Barrier>> barrier = LookupInput<Barrier>(ctx, 0);
    Status status = barrier.status();
    if (status.ok()) status = Check(ctx, (*barrier)->options().types);
    if (!status.ok()) return std::move(done)(std::move(status));
    (*barrier)->InsertMany(QueueCaller::Of(ctx), static_cast<int>(component_),
                           ctx.input(1), ctx.input(2), std::move(done));
  }

 private:
  Status Check(KernelContext& ctx, const std::vector<DataType>& types) const {
    const auto count = static_cast<int64_t>(types.size());
    if (component_ < 0 || component_ >= count) {
      return InvalidArgument("The component ID is out of range ", component_,
                             " > num_components (= ", count, ")");
    }
    const DataType wanted = types[static_cast<size_t>(component_)];
    if (ctx.input_type(2) == wanted) return OkStatus();
    return SignatureMismatch(
        ctx.node(), {ctx.node().input_types[0], DataType::kString, wanted}, {});
  }

  int64_t component_ = 0;
};

class TakeManyKernel {
 public:
  static StatusOr<TakeManyKernel> Make(const KernelInit& init) {
    TakeManyKernel k;
    MR_ASSIGN_OR_RETURN(const int64_t timeout_ms,
                        init.Attr<int64_t>("timeout_ms"));
    if (timeout_ms != -1) return InvalidArgument("Timeout not supported yet.");
    MR_ASSIGN_OR_RETURN(k.allow_small_, init.Attr<bool>("allow_small_batch"));
    return k;
  }
  void RunAsync(KernelContext& ctx, Done done) const {
    const StatusOr<Ref<Barrier>> barrier = LookupInput<Barrier>(ctx, 0);
    Status status = barrier.status();
    if (status.ok()) status = Check(ctx, (*barrier)->options().types);
    if (!status.ok()) return std::move(done)(std::move(status));
    (*barrier)->TakeMany(
        QueueCaller::Of(ctx), ctx.input(1).scalar<int32_t>(), allow_small_,
        [&ctx, done = std::move(done)](StatusOr<QueueTuple> taken) mutable {
          if (!taken.ok()) return std::move(done)(taken.status());
          for (int i = 0; i < ctx.num_outputs(); ++i) {
            ctx.set_output(i, std::move((*taken)[static_cast<size_t>(i)]));
          }
          std::move(done)(OkStatus());
        });
  }

 private:
  static Status Check(KernelContext& ctx, const std::vector<DataType>& types) {
    if (ctx.input(1).rank() != 0) {
      return InvalidArgument("num_elements must be a scalar.");
    }
    if (ctx.input(1).scalar<int32_t>() < 0) {
      return InvalidArgument("num_elements must be >= 0, but is ",
                             ctx.input(1).scalar<int32_t>());
    }
    std::vector<DataType> outputs = {DataType::kInt64, DataType::kString};
    outputs.insert(outputs.end(), types.begin(), types.end());
    const auto& have = ctx.node().output_types;
    if (std::equal(have.begin(), have.end(), outputs.begin(), outputs.end())) {
      return OkStatus();
    }
    return SignatureMismatch(ctx.node(), ctx.node().input_types, outputs);
  }

  bool allow_small_ = false;
};

template <int64_t (Barrier::*kCount)() const>
Status RunSize(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const Ref<Barrier> barrier, LookupInput<Barrier>(ctx, 0));
  ctx.set_output(
      0, Tensor::Scalar<int32_t>(static_cast<int32_t>(((*barrier).*kCount)())));
  return OkStatus();
}

}  // namespace

MR_KERNELS(Barrier, Cpu){{.make = MakeKernel<HandleKernel<Barrier>>,
                          .host = "handle",
                          .cheap = true}};
MR_KERNELS(BarrierInsertMany, Cpu){{.types = "T: " MR_ELEMENT_TYPES,
                                    .make = MakeKernel<InsertManyKernel>,
                                    .host = "handle, keys"}};
MR_KERNELS(BarrierTakeMany, Cpu){
    {.make = MakeKernel<TakeManyKernel>, .host = "handle, num_elements"}};
MR_KERNELS(BarrierClose,
           Cpu){{.make = MakeKernel<CloseKernel<Barrier>>, .host = "handle"}};
MR_KERNELS(BarrierReadySize,
           Cpu){{.make = MakeFunctionKernel<RunSize<&Barrier::ready_size>>,
                 .host = "handle, size",
                 .cheap = true}};
MR_KERNELS(BarrierIncompleteSize,
           Cpu){{.make = MakeFunctionKernel<RunSize<&Barrier::incomplete_size>>,
                 .host = "handle, size",
                 .cheap = true}};

}  // namespace millrace::ops
