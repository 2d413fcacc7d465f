#include <algorithm>
#include <cmath>

#include "millrace/ops/train/optimizer_kernel.h"

namespace millrace::ops {
namespace {

// Returns the scalar; only the ops on rows look at its value.
template <GradientForm kForm>
constexpr Hyperparameter FtrlScalar(const char* name, const char* dense,
                                    const char* rows, ScalarRange range) {
  return kForm == GradientForm::kDense ? Hyperparameter(name, dense)
                                       : Hyperparameter(name, rows, range);
}

// Version 2 adds the shrinkage.
template <OpVersion kVersion, GradientForm kForm>
struct FtrlRule {
  static constexpr bool kShrinkage = kVersion == OpVersion::k2;
  static constexpr int kVariables = 3;
  static constexpr const char* kNames[] = {"var", "accum", "linear"};
  static constexpr Hyperparameter kL2 = FtrlScalar<kForm>(
      "l2", "l2 regularization strength is not a scalar",
      "l2 regularization strength is not a non-negative scalar",
      ScalarRange::kNotNegative);
  static constexpr Hyperparameter kScalars[] = {
      FtrlScalar<kForm>(
          "lr", "lr is not a scalar",
          "lr is not a positive scalar (or zero if multiply_linear_by_lr is "
          "set)",
          ScalarRange::kPositive),
      FtrlScalar<kForm>(
          "l1", "l1 regularization strength is not a scalar",
          "l1 regularization strength is not a non-negative scalar",
          ScalarRange::kNotNegative),
      kL2,
      FtrlScalar<kForm>("lr_power", "lr_power is not a scalar",
                        "lr_power is not a non-positive scalar",
                        ScalarRange::kNotPositive),
      kShrinkage
          ? FtrlScalar<kForm>(
                "l2_shrinkage",
                "l2 shrinkage regularization strength is not a scalar",
                "l2 shrinkage regularization strength is not a non-negative "
                "scalar",
                ScalarRange::kNotNegative)
          : kL2};
  using ElementTypes = FloatTypes;
  static constexpr BadIndex kBadIndex = BadIndex::kEarlierDone;
  static StatusOr<FtrlRule> Make(const KernelInit& init) {
    FtrlRule rule;
    MR_ASSIGN_OR_RETURN(rule.multiply_linear_by_lr,
                        init.Attr<bool>("multiply_linear_by_lr"));
    return rule;
  }
  template <class S, class F>
  MR_RULE void ForLoop(const S* h, const F& f) const {
    if (h[3] != S(-0.5)) {
      return f(FtrlRule{.multiply_linear_by_lr = multiply_linear_by_lr,
                        .square_root = false});
    }
    multiply_linear_by_lr
        ? f(FtrlRule{.multiply_linear_by_lr = true, .square_root = true})
        : f(FtrlRule{.multiply_linear_by_lr = false, .square_root = true});
  }
  template <class S>
  MR_RULE void Update(S* v, S g, const S* h) const {
    const S lr = h[0], l1 = h[1], l2 = h[2];
    const S accum = v[1] + g * g;
    const S shrunk = kShrinkage ? g + S(2) * h[4] * v[0] : g;
    const S old_root = Root(v[1], h[3]);
    const S root = Root(accum, h[3]);
    v[1] = accum;
    if (multiply_linear_by_lr) {
      v[2] += shrunk * lr - (root - old_root) * v[0];
      v[0] = Shrunk(v[2], l1 * lr, root + S(2) * l2 * lr);
    } else {
      v[2] += shrunk - (root - old_root) / lr * v[0];
      v[0] = Shrunk(v[2], l1, root / lr + S(2) * l2);
    }
  }
  template <class S>
  MR_RULE S Root(S x, S lr_power) const {
    return square_root ? std::sqrt(x) : std::pow(x, -lr_power);
  }
  // Returns how far `linear` is beyond the limit, divided by -y. For the dense
  // op, NaN is within the limit. std::clamp is not used since its references
  // prevent vectorization.
  template <class S>
  MR_RULE static S Shrunk(S linear, S limit, S y) {
    if constexpr (kForm == GradientForm::kDense) {
      const S beyond = (std::copysign(limit, linear) - linear) / y;
      return std::abs(linear) > limit ? beyond : S(0);
    } else {
      return (std::min(std::max(linear, -limit), limit) - linear) / y;
    }
  }
  bool multiply_linear_by_lr = false;
  bool square_root = false;  // lr_power is -0.5
};

#define MR_FTRL_TYPES "T: bfloat16, double, float, half"

}  // namespace

MR_KERNELS(ApplyFtrl, Cpu){
    {.types = MR_FTRL_TYPES,
     .make = MakeKernel<
         DenseKernel<FtrlRule<OpVersion::k1, GradientForm::kDense>>>}};
MR_KERNELS(ResourceApplyFtrl, Cpu){
    {.types = MR_FTRL_TYPES,
     .make =
         MakeKernel<DenseKernel<FtrlRule<OpVersion::k1, GradientForm::kDense>>>,
     .host = "var, accum, linear"}};
MR_KERNELS(SparseApplyFtrl, Cpu){
    {.types = MR_FTRL_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<
         SparseKernel<FtrlRule<OpVersion::k1, GradientForm::kRows>>>}};
MR_KERNELS(ResourceSparseApplyFtrl, Cpu){
    {.types = MR_FTRL_TYPES "; Tindices: int32, int64",
     .make =
         MakeKernel<SparseKernel<FtrlRule<OpVersion::k1, GradientForm::kRows>>>,
     .host = "var, accum, linear"}};
MR_KERNELS(ApplyFtrlV2, Cpu){
    {.types = MR_FTRL_TYPES,
     .make = MakeKernel<
         DenseKernel<FtrlRule<OpVersion::k2, GradientForm::kDense>>>}};
MR_KERNELS(ResourceApplyFtrlV2, Cpu){
    {.types = MR_FTRL_TYPES,
     .make =
         MakeKernel<DenseKernel<FtrlRule<OpVersion::k2, GradientForm::kDense>>>,
     .host = "var, accum, linear"}};
MR_KERNELS(SparseApplyFtrlV2, Cpu){
    {.types = MR_FTRL_TYPES "; Tindices: int32, int64",
     .make = MakeKernel<
         SparseKernel<FtrlRule<OpVersion::k2, GradientForm::kRows>>>}};
MR_KERNELS(ResourceSparseApplyFtrlV2, Cpu){
    {.types = MR_FTRL_TYPES "; Tindices: int32, int64",
     .make =
         MakeKernel<SparseKernel<FtrlRule<OpVersion::k2, GradientForm::kRows>>>,
     .host = "var, accum, linear"}};

}  // namespace millrace::ops
