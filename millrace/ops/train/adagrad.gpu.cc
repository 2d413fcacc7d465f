#include "millrace/ops/train/apply.gpu.h"

namespace millrace::ops {
namespace {

struct AdagradOnGpu {
  static constexpr const char* kRule = "Adagrad";
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {"lr"};
  static constexpr const char* kFlag = "update_slots";
  static constexpr GradRank kGradRank = GradRank::kChecked;
};

struct AdagradV2OnGpu {
  static constexpr const char* kRule = "AdagradV2";
  static constexpr const char* kNames[] = {"var", "accum"};
  static constexpr Hyperparameter kScalars[] = {"lr", "epsilon"};
  static constexpr const char* kFlag = "update_slots";
  static constexpr GradRank kGradRank = GradRank::kChecked;
};

}  // namespace

MR_KERNELS(ApplyAdagrad, Gpu){
    {.types = MR_APPLY_TYPES, .make = MakeKernel<DenseOnGpu<AdagradOnGpu>>}};
MR_KERNELS(ResourceApplyAdagrad,
           Gpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseOnGpu<AdagradOnGpu>>,
                 .host = "var, accum"}};
MR_KERNELS(SparseApplyAdagrad,
           Gpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<AdagradOnGpu>>}};
MR_KERNELS(ResourceSparseApplyAdagrad,
           Gpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<AdagradOnGpu>>,
                 .host = "var, accum"}};
MR_KERNELS(ApplyAdagradV2, Gpu){
    {.types = MR_APPLY_TYPES, .make = MakeKernel<DenseOnGpu<AdagradV2OnGpu>>}};
MR_KERNELS(ResourceApplyAdagradV2,
           Gpu){{.types = MR_APPLY_TYPES,
                 .make = MakeKernel<DenseOnGpu<AdagradV2OnGpu>>,
                 .host = "var, accum"}};
MR_KERNELS(SparseApplyAdagradV2,
           Gpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<AdagradV2OnGpu>>}};
MR_KERNELS(ResourceSparseApplyAdagradV2,
           Gpu){{.types = MR_APPLY_TYPES "; Tindices: int32, int64",
                 .make = MakeKernel<RowsOnGpu<AdagradV2OnGpu>>,
                 .host = "var, accum"}};

}  // namespace millrace::ops
