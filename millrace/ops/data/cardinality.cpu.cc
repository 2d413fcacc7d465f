#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/data/dataset.h"

namespace millrace::ops {
namespace {

Status Cardinality(KernelContext& ctx) {
  MR_ASSIGN_OR_RETURN(const DatasetRef dataset, DatasetOfInput(ctx, 0));
  ctx.set_output(0, Tensor::Scalar<int64_t>(dataset->Cardinality()));
  return OkStatus();
}

}  // namespace

MR_KERNELS(DatasetCardinality,
           Cpu){{.make = MakeFunctionKernel<Cardinality>, .cheap = true}};
MR_KERNELS(ExperimentalDatasetCardinality,
           Cpu){{.make = MakeFunctionKernel<Cardinality>, .cheap = true}};

}  // namespace millrace::ops
