// Kernels of optimizers that are written as a rule for one element:
//
//   struct AdagradRule {
//     static constexpr int kVariables = 2;
//     static constexpr const char* kNames[] = {"var", "accum"};
//     static constexpr Hyperparameter kScalars[] = {"lr"};
//     using ElementTypes = ApplyTypes;
//     static constexpr BadIndex kBadIndex = ...;  // else kNothingDone
//     static constexpr GradRank kGradRank = ...;  // else kNotChecked
//     static StatusOr<AdagradRule> Make(const KernelInit& init);
//     // Optional: calls f with a rule like this one whose flags are constants,
//     // so that the loop has no branches.
//     template <class S, class F>
//     MR_RULE void ForLoop(const S* h, const F& f) const {...}
//     // v: the variables' elements, read and written; h: the scalars.
//     template <class S>
//     MR_RULE void Update(S* v, S g, const S* h) const {...}
//   };
//
// DenseKernel takes a gradient of the variables' shape, SparseKernel rows of it
// with their indices. Both find their inputs by name.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "millrace/base/target_clones.h"
#include "millrace/kernel/kernel_decl.h"
#include "millrace/ops/train/apply.h"

// For functions inside of the loop, which has a clone for each instruction set.
#define MR_RULE __attribute__((always_inline))

namespace millrace::ops {

// The op that a rule is for, if there are ApplyX and ApplyXV2, which has one
// more scalar.
enum class OpVersion { k1, k2 };

// Has no inner loop over the variables and copies what does not change;
// otherwise compilers do not vectorize it.
template <class Rule, class T>
MR_TARGET_CLONES void UpdateSpan(
    const Rule& rule, const std::array<T*, Rule::kVariables>& variables,
    const T* grad, const ComputeType<T>* scalars, int64_t n) {
  using S = ComputeType<T>;
  S h[std::size(Rule::kScalars)];
  std::copy_n(scalars, std::size(Rule::kScalars), h);
  const auto update_all = [&]<size_t... k>(Rule r, std::index_sequence<k...>)
      MR_RULE {
    const std::array<T*, Rule::kVariables> p = variables;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      S v[] = {static_cast<S>(p[k][i])...};
      r.template Update<S>(v, static_cast<S>(grad[i]), h);
      ((p[k][i] = static_cast<T>(v[k])), ...);
    }
  };
  const auto update = [&](const Rule& r) MR_RULE {
    update_all(r, std::make_index_sequence<Rule::kVariables>());
  };
  if constexpr (requires { rule.ForLoop(h, update); }) {
    rule.ForLoop(h, update);
  } else {
    update(rule);
  }
}

// The rule and the positions of its inputs, for both kernels.
template <class Rule>
class OptimizerInputs {
 public:
  static constexpr int kNumScalars =
      static_cast<int>(std::size(Rule::kScalars));

  Status Find(const KernelInit& init) {
    MR_ASSIGN_OR_RETURN(rule, Rule::Make(init));
    for (int i = 0; i < kNumScalars; ++i) {
      MR_ASSIGN_OR_RETURN(const ArgRange range,
                          init.Input(Rule::kScalars[i].name));
      scalars[i] = range.begin;
    }
    // One op has the other name for it.
    grad_name = init.Input("grad").ok() ? "grad" : "delta";
    MR_ASSIGN_OR_RETURN(const ArgRange range, init.Input(grad_name));
    grad = range.begin;
    return OkStatus();
  }

  Status Check(KernelContext& ctx) const {
    for (int i = 0; i < kNumScalars; ++i) {
      Hyperparameter scalar = Rule::kScalars[i];
      if constexpr (requires { rule.multiply_linear_by_lr; }) {
        if (rule.multiply_linear_by_lr &&
            scalar.range == ScalarRange::kPositive) {
          scalar.range = ScalarRange::kNotNegative;
        }
      }
      MR_RETURN_IF_ERROR(CheckHyperparameter(ctx, scalars[i], scalar));
    }
    return OkStatus();
  }

  template <class T>
  std::array<ComputeType<T>, kNumScalars> Scalars(KernelContext& ctx) const {
    std::array<ComputeType<T>, kNumScalars> values;
    for (int i = 0; i < kNumScalars; ++i) {
      values[i] =
          ctx.input(scalars[i]).dtype() == DataType::kInt64  // a global step
              ? static_cast<ComputeType<T>>(static_cast<double>(
                    ctx.input(scalars[i]).template scalar<int64_t>()))
              : ScalarInput<T>(ctx, scalars[i]);
    }
    return values;
  }

  Rule rule;
  int grad = 0;
  const char* grad_name = "grad";
  int scalars[kNumScalars] = {};
};

template <class Rule>
class DenseKernel {
 public:
  static StatusOr<DenseKernel> Make(const KernelInit& init) {
    DenseKernel k;
    MR_RETURN_IF_ERROR(k.in_.Find(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(in_.Check(ctx));
    const Tensor& grad = ctx.input(in_.grad);
    return UpdateDense<typename Rule::ElementTypes>(
        ctx, Rule::kNames, grad, in_.grad_name,
        [&]<class T>(LockedVariables& variables) {
          const auto scalars = in_.template Scalars<T>(ctx);
          const T* g = grad.flat<T>().data();
          return ctx.ParallelFor(
              grad.num_elements(), 2, [&](int64_t begin, int64_t end) {
                std::array<T*, Rule::kVariables> at;
                for (int k = 0; k < Rule::kVariables; ++k) {
                  at[k] = variables.template data<T>(k) + begin;
                }
                UpdateSpan<Rule, T>(in_.rule, at, g + begin, scalars.data(),
                                    end - begin);
              });
        });
  }

 private:
  OptimizerInputs<Rule> in_;
};

template <class Rule>
class SparseKernel {
 public:
  static StatusOr<SparseKernel> Make(const KernelInit& init) {
    SparseKernel k;
    MR_RETURN_IF_ERROR(k.in_.Find(init));
    return k;
  }
  Status Run(KernelContext& ctx) const {
    MR_RETURN_IF_ERROR(in_.Check(ctx));
    const Tensor& grad = ctx.input(in_.grad);
    {
      MR_ASSIGN_OR_RETURN(
          const auto variables,
          SparseVariables::Make(ctx, Rule::kNames, grad,
                                ctx.input(in_.grad + 1), kBadIndex, kGradRank));
      MR_RETURN_IF_ERROR(Dispatch(
          typename Rule::ElementTypes{}, grad.dtype(),
          [&]<class T>() -> Status {
            const auto scalars = in_.template Scalars<T>(ctx);
            const T* g = grad.flat<T>().data();
            const int64_t n = variables->row_elements();
            return variables->ForEachRow(ctx, [&](int64_t row, int64_t i) {
              std::array<T*, Rule::kVariables> at;
              for (int k = 0; k < Rule::kVariables; ++k) {
                at[k] = variables->template data<T>(k) + row * n;
              }
              UpdateSpan<Rule, T>(in_.rule, at, g + i * n, scalars.data(), n);
            });
          }));
    }
    PassReference(ctx);
    return OkStatus();
  }

 private:
  static constexpr BadIndex kBadIndex = [] {
    if constexpr (requires { Rule::kBadIndex; }) return Rule::kBadIndex;
    return BadIndex::kNothingDone;
  }();
  static constexpr GradRank kGradRank = [] {
    if constexpr (requires { Rule::kGradRank; }) return Rule::kGradRank;
    return GradRank::kNotChecked;
  }();
  OptimizerInputs<Rule> in_;
};

}  // namespace millrace::ops
