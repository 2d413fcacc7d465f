#include "millrace/ops/train/apply.gpu.h"

#include <algorithm>
#include <string>

MR_GPU_SOURCE(train_apply);

namespace millrace::ops {
namespace {

// This is also in apply.gpu.cu.
struct OptimizerArguments {
  uint64_t variables[4] = {};
  uint64_t gradient = 0;
  uint64_t scalars[6] = {};
};

}  // namespace

StatusOr<OptimizerOnGpu> OptimizerOnGpu::Make(const KernelInit& init,
                                              const Rule& rule,
                                              GradientForm form) {
  OptimizerOnGpu k;
  k.rule_ = rule;
  for (size_t i = 0; i < rule.scalars.size(); ++i) {
    MR_ASSIGN_OR_RETURN(const ArgRange range, init.Input(rule.scalars[i].name));
    k.scalars_[i] = range.begin;
  }
  // One op has the other name for it.
  k.grad_name_ = init.Input("grad").ok() ? "grad" : "delta";
  MR_ASSIGN_OR_RETURN(const ArgRange range, init.Input(k.grad_name_));
  k.grad_ = range.begin;
  bool flag = false;
  if (rule.flag != nullptr) {
    MR_ASSIGN_OR_RETURN(flag, init.Attr<bool>(rule.flag));
  }
  const bool rows = form == GradientForm::kRows;
  if (rows) {
    MR_ASSIGN_OR_RETURN(k.order_,
                        GpuRowOrder::Make(init, init.input_type(k.grad_ + 1)));
  }
  MR_ASSIGN_OR_RETURN(
      k.update_, LoadGpuFunction(init, MR_GPU_SOURCE_OF(train_apply),
                                 rows ? "Rows" : "Dense",
                                 {{"T", GpuTypeName(init.input_type(k.grad_))},
                                  {"RULE", rule.name},
                                  {"FLAG", flag ? "1" : "0"},
                                  {"ROWS", rows ? "1" : "0"}}));
  return k;
}

Status OptimizerOnGpu::Run(KernelContext& ctx) const {
  for (size_t i = 0; i < rule_.scalars.size(); ++i) {
    Hyperparameter scalar = rule_.scalars[i];
    scalar.range = ScalarRange::kAny;  // its value is not known here
    MR_RETURN_IF_ERROR(CheckHyperparameter(ctx, scalars_[i], scalar));
  }
  MR_RETURN_IF_ERROR(order_.has_value() ? RunRows(ctx) : RunDense(ctx));
  PassReference(ctx);
  return OkStatus();
}

namespace {

OptimizerArguments ArgumentsOf(KernelContext& ctx, LockedVariables& variables,
                               size_t num_variables, const Tensor& grad,
                               absl::Span<const int> scalars) {
  OptimizerArguments a;
  for (size_t i = 0; i < num_variables; ++i) {
    a.variables[i] = GpuOutput(variables.tensor(static_cast<int>(i))).address;
  }
  a.gradient = GpuInput(grad).address;
  for (size_t i = 0; i < scalars.size(); ++i) {
    a.scalars[i] = GpuInput(ctx.input(scalars[i])).address;
  }
  return a;
}

}  // namespace

Status OptimizerOnGpu::RunDense(KernelContext& ctx) const {
  const Tensor& grad = ctx.input(grad_);
  MR_ASSIGN_OR_RETURN(const auto variables,
                      LockedVariables::Make(ctx, rule_.variables, grad.dtype(),
                                            &grad, grad_name_));
  const int64_t n = grad.num_elements();
  if (n == 0) return OkStatus();
  const OptimizerArguments a =
      ArgumentsOf(ctx, *variables, rule_.variables.size(), grad,
                  {scalars_, rule_.scalars.size()});
  uint64_t addresses = a.gradient;
  for (const uint64_t address : a.variables) addresses |= address;
  const bool aligned = addresses % 16 == 0;
  const int64_t of_pack = 16 / static_cast<int64_t>(SizeOf(grad.dtype()));
  const int64_t packs = aligned ? n / of_pack : 0;
  const int64_t threads = std::max(packs, n - packs * of_pack);
  return LaunchGpu(ctx, update_, GridOver(threads), a, packs, n);
}

Status OptimizerOnGpu::RunRows(KernelContext& ctx) const {
  const Tensor& grad = ctx.input(grad_);
  const Tensor& indices = ctx.input(grad_ + 1);
  MR_ASSIGN_OR_RETURN(const auto variables,
                      LockedVariables::Make(ctx, rule_.variables, grad.dtype(),
                                            nullptr, grad_name_));
  const TensorShape& shape = variables->tensor(0).shape();
  MR_ASSIGN_OR_RETURN(const int64_t row_elements,
                      RowElements(shape, grad, indices, rule_.grad_rank));
  const int64_t count = indices.num_elements();
  if (count == 0 || shape.num_elements() == 0) return OkStatus();
  const int64_t dims[] = {shape.dim(0)};
  MR_ASSIGN_OR_RETURN(const SortedRows rows,
                      order_->Sort(ctx, indices, count, dims));
  const OptimizerArguments a =
      ArgumentsOf(ctx, *variables, rule_.variables.size(), grad,
                  {scalars_, rule_.scalars.size()});
  const RowGrid grid = GridOverRows(count, row_elements);
  return LaunchGpu(ctx, update_, grid.grid, a, GpuInput(rows.keys), count,
                   rows.position_bits, row_elements, grid.lane_bits,
                   grid.blocks_per_row);
}

}  // namespace millrace::ops
