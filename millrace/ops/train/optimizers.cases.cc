#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

// What an optimizer takes: its variables, the scalars before and after the
// gradient. Variables after the first and scalars are positive.
struct Optimizer {
  int variables;
  std::vector<double> before;
  std::vector<double> after;
  std::vector<AttrMap> attrs = {{}};
  bool global_step = false;  // the last scalar is one
};

std::vector<Value> Inputs(const Optimizer& o, DataType t, TensorShape shape,
                          std::vector<Value> gradient) {
  std::vector<Value> inputs;
  for (int i = 0; i < o.variables; ++i) {
    inputs.push_back(Var(i == 0 ? Rand(t, shape) : Rand(t, shape, 0.5, 2)));
  }
  for (double x : o.before) inputs.push_back(Scalar(t, x));
  for (Value& v : gradient) inputs.push_back(std::move(v));
  for (size_t i = 0; i < o.after.size(); ++i) {
    const bool step = o.global_step && i + 1 == o.after.size();
    inputs.push_back(Scalar(step ? DataType::kInt64 : t, o.after[i]));
  }
  return inputs;
}

// Stock rounds small types after each operation, here once at the end.
void Loosen(Case& one, DataType t) {
  if (t == DataType::kBfloat16) one.Tolerance(6e-2);
  if (t == DataType::kHalf) one.Tolerance(1e-2);
}

void Dense(CaseList& c, const Optimizer& o) {
  c.EachType("T", [&](CaseList& c, DataType t) {
    for (const AttrMap& attrs : o.attrs) {
      for (const TensorShape& s : {TensorShape{3, 7}, TensorShape{}}) {
        Loosen(c.Ok(Inputs(o, t, s, {Rand(t, s)}), attrs), t);
      }
    }
  });
  const DataType f = DataType::kFloat;
  c.Ok(Inputs(o, f, {0, 3}, {F32({0, 3})}));
  c.Ok(Inputs(o, f, {2049}, {F32({2049})}));
  c.Error(Inputs(o, f, {2}, {F32({3})}), StatusCode::kInvalidArgument,
          "do not have the same shape")
      .NoShapeCheck();
}

void Sparse(CaseList& c, const Optimizer& o,
            const char* bad_index = "out of range") {
  c.EachType("T", [&](CaseList& c, DataType t) {
    for (const AttrMap& attrs : o.attrs) {
      Loosen(c.Ok(Inputs(o, t, {5, 3}, {Rand(t, {4, 3}), Vec({1, 4, 1, 0})}),
                  attrs),
             t);
    }
    Loosen(
        c.Ok(Inputs(o, t, {5}, {Rand(t, {2}), Vec(DataType::kInt64, {3, 2})})),
        t);
  });
  const DataType f = DataType::kFloat;
  c.Ok(Inputs(o, f, {5, 3}, {F32({0, 3}), I32({0})}));
  c.Ok(Inputs(o, f, {300, 70},
              {F32({300, 70}), Rand(DataType::kInt32, {300}, 0, 300)}));
  // Rows of several elements and of one: stock's loops differ.
  c.Error(Inputs(o, f, {5, 3}, {F32({4, 3}), Vec({1, 5, 2, 7})}),
          StatusCode::kInvalidArgument, bad_index);
  c.Error(Inputs(o, f, {5}, {F32({3}), Vec({1, -1, 2})}),
          StatusCode::kInvalidArgument, bad_index);
  c.Error(Inputs(o, f, {5, 3}, {F32({2, 4}), Vec({1, 2})}),
          StatusCode::kInvalidArgument, "must match in dimension")
      .NoShapeCheck();
}

std::vector<AttrMap> Both(const char* attr) {
  return {{{attr, true}}, {{attr, false}}};
}

Optimizer Adagrad() { return {2, {0.25}, {}, Both("update_slots")}; }
Optimizer AdagradV2() { return {2, {0.25, 0.5}, {}, Both("update_slots")}; }
Optimizer Adadelta() { return {3, {0.5, 0.75, 0.125}, {}}; }
Optimizer AdagradDa() { return {3, {}, {0.25, 0.125, 0.5, 3}, {{}}, true}; }
Optimizer Ftrl() {
  return {3, {}, {0.25, 0.125, 0.5, -0.5}, Both("multiply_linear_by_lr")};
}
Optimizer FtrlV2() {
  return {3, {}, {0.25, 0.125, 0.5, 0.25, -0.5}, Both("multiply_linear_by_lr")};
}
Optimizer RmsProp() { return {3, {0.25, 0.75, 0.5, 0.125}, {}}; }
Optimizer Centered() { return {4, {0.25, 0.75, 0.5, 4}, {}}; }
Optimizer Proximal() { return {1, {0.25, 0.5, 0.125}, {}}; }
Optimizer ProximalAdagrad() { return {2, {0.25, 0.5, 0.125}, {}}; }
Optimizer Momentum() { return {2, {0.25}, {0.5}, Both("use_nesterov")}; }
Optimizer Sign() { return {2, {0.25, 0.5, 0.75, 0.5}, {}}; }
Optimizer AdaMax() { return {3, {0.5, 0.25, 0.25, 0.5, 0.125}, {}}; }

}  // namespace

MR_CASES(ApplyAdagrad)(CaseList& c) { Dense(c, Adagrad()); }
MR_CASES(ResourceApplyAdagrad)(CaseList& c) { Dense(c, Adagrad()); }
MR_CASES(SparseApplyAdagrad)(CaseList& c) { Sparse(c, Adagrad()); }
MR_CASES(ResourceSparseApplyAdagrad)(CaseList& c) { Sparse(c, Adagrad()); }
MR_CASES(ApplyAdagradV2)(CaseList& c) { Dense(c, AdagradV2()); }
MR_CASES(ResourceApplyAdagradV2)(CaseList& c) { Dense(c, AdagradV2()); }
MR_CASES(SparseApplyAdagradV2)(CaseList& c) { Sparse(c, AdagradV2()); }
MR_CASES(ResourceSparseApplyAdagradV2)(CaseList& c) { Sparse(c, AdagradV2()); }
MR_CASES(ApplyAdadelta)(CaseList& c) { Dense(c, Adadelta()); }
MR_CASES(ResourceApplyAdadelta)(CaseList& c) { Dense(c, Adadelta()); }
MR_CASES(SparseApplyAdadelta)(CaseList& c) { Sparse(c, Adadelta()); }
MR_CASES(ResourceSparseApplyAdadelta)(CaseList& c) { Sparse(c, Adadelta()); }
MR_CASES(ApplyAdagradDA)(CaseList& c) { Dense(c, AdagradDa()); }
MR_CASES(ResourceApplyAdagradDA)(CaseList& c) { Dense(c, AdagradDa()); }
MR_CASES(SparseApplyAdagradDA)(CaseList& c) { Sparse(c, AdagradDa()); }
MR_CASES(ResourceSparseApplyAdagradDA)(CaseList& c) { Sparse(c, AdagradDa()); }

MR_CASES(ApplyFtrl)(CaseList& c) { Dense(c, Ftrl()); }
MR_CASES(ResourceApplyFtrl)(CaseList& c) { Dense(c, Ftrl()); }
MR_CASES(SparseApplyFtrl)(CaseList& c) { Sparse(c, Ftrl()); }
MR_CASES(ResourceSparseApplyFtrl)(CaseList& c) { Sparse(c, Ftrl()); }
MR_CASES(ApplyFtrlV2)(CaseList& c) { Dense(c, FtrlV2()); }
MR_CASES(ResourceApplyFtrlV2)(CaseList& c) { Dense(c, FtrlV2()); }
MR_CASES(SparseApplyFtrlV2)(CaseList& c) { Sparse(c, FtrlV2()); }
MR_CASES(ResourceSparseApplyFtrlV2)(CaseList& c) { Sparse(c, FtrlV2()); }

MR_CASES(ApplyRMSProp)(CaseList& c) { Dense(c, RmsProp()); }
MR_CASES(ResourceApplyRMSProp)(CaseList& c) { Dense(c, RmsProp()); }
MR_CASES(SparseApplyRMSProp)(CaseList& c) { Sparse(c, RmsProp()); }
MR_CASES(ResourceSparseApplyRMSProp)(CaseList& c) { Sparse(c, RmsProp()); }
MR_CASES(ApplyCenteredRMSProp)(CaseList& c) { Dense(c, Centered()); }
MR_CASES(ResourceApplyCenteredRMSProp)(CaseList& c) { Dense(c, Centered()); }
MR_CASES(SparseApplyCenteredRMSProp)(CaseList& c) { Sparse(c, Centered()); }
MR_CASES(ResourceSparseApplyCenteredRMSProp)(CaseList& c) {
  Sparse(c, Centered());
}

MR_CASES(ApplyProximalGradientDescent)(CaseList& c) { Dense(c, Proximal()); }
MR_CASES(ResourceApplyProximalGradientDescent)(CaseList& c) {
  Dense(c, Proximal());
}
MR_CASES(SparseApplyProximalGradientDescent)(CaseList& c) {
  Sparse(c, Proximal());
}
MR_CASES(ResourceSparseApplyProximalGradientDescent)(CaseList& c) {
  Sparse(c, Proximal());
}
MR_CASES(ApplyProximalAdagrad)(CaseList& c) { Dense(c, ProximalAdagrad()); }
MR_CASES(ResourceApplyProximalAdagrad)(CaseList& c) {
  Dense(c, ProximalAdagrad());
}
MR_CASES(SparseApplyProximalAdagrad)(CaseList& c) {
  Sparse(c, ProximalAdagrad());
}
MR_CASES(ResourceSparseApplyProximalAdagrad)(CaseList& c) {
  Sparse(c, ProximalAdagrad());
}

MR_CASES(SparseApplyMomentum)(CaseList& c) { Sparse(c, Momentum()); }
MR_CASES(ResourceSparseApplyMomentum)(CaseList& c) { Sparse(c, Momentum()); }
MR_CASES(ResourceApplyKerasMomentum)(CaseList& c) { Dense(c, Momentum()); }
MR_CASES(ResourceSparseApplyKerasMomentum)(CaseList& c) {
  Sparse(c, Momentum(), "is not in [0, 5)");
}
MR_CASES(ApplyAddSign)(CaseList& c) { Dense(c, Sign()); }
MR_CASES(ResourceApplyAddSign)(CaseList& c) { Dense(c, Sign()); }
MR_CASES(ApplyPowerSign)(CaseList& c) { Dense(c, Sign()); }
MR_CASES(ResourceApplyPowerSign)(CaseList& c) { Dense(c, Sign()); }
MR_CASES(ApplyAdaMax)(CaseList& c) { Dense(c, AdaMax()); }
MR_CASES(ResourceApplyAdaMax)(CaseList& c) { Dense(c, AdaMax()); }

}  // namespace millrace::cases
