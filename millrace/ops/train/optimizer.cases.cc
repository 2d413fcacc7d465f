#include "millrace/ops/train/optimizer.cases.h"

#include <limits>

namespace millrace::cases {
namespace {

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

// Returns inputs of which each combination of finite numbers, infinities and
// NaN in one element of the variables and the gradient occurs once; the
// gradient has the shape [n, 1], in rows that all occur where it is sparse.
std::vector<Value> SpecialInputs(const Optimizer& o, bool sparse) {
  const float special[] = {0.75f, std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           std::numeric_limits<float>::quiet_NaN()};
  int n = 4;
  for (int i = 0; i < o.variables; ++i) n *= 4;
  std::vector<Value> elements;
  int stride = 1;
  for (int k = 0; k <= o.variables; ++k) {
    elements.push_back(Full(DataType::kFloat, {n, 1}, 0));
    const absl::Span<float> of_one = elements[k].tensor.mutable_flat<float>();
    for (int i = 0; i < n; ++i) of_one[i] = special[i / stride % 4];
    stride *= 4;
  }
  std::vector<Value> inputs;
  for (int i = 0; i < o.variables; ++i) inputs.push_back(Var(elements[i]));
  for (double x : o.before) inputs.push_back(Scalar(DataType::kFloat, x));
  inputs.push_back(elements.back());
  if (sparse) inputs.push_back(Iota(DataType::kInt32, {n}));
  for (size_t i = 0; i < o.after.size(); ++i) {
    const bool step = o.global_step && i + 1 == o.after.size();
    inputs.push_back(
        Scalar(step ? DataType::kInt64 : DataType::kFloat, o.after[i]));
  }
  return inputs;
}

// Stock rounds small types after each operation, here once at the end.
void Loosen(Case& one, DataType t) {
  if (t == DataType::kBfloat16) one.Tolerance(6e-2);
  if (t == DataType::kHalf) one.Tolerance(1e-2);
}

}  // namespace

void DenseCases(CaseList& c, const Optimizer& o) {
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
  for (const AttrMap& attrs : o.attrs) c.Ok(SpecialInputs(o, false), attrs);
  c.Error(Inputs(o, f, {2}, {F32({3})}), StatusCode::kInvalidArgument,
          "do not have the same shape")
      .NoShapeCheck();
}

void SparseCases(CaseList& c, const Optimizer& o, const char* bad_index) {
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
  for (const AttrMap& attrs : o.attrs) c.Ok(SpecialInputs(o, true), attrs);
  c.Ok(Inputs(o, f, {300, 70},
              {F32({300, 70}), Rand(DataType::kInt32, {300}, 0, 300)}));
  // Rows of several elements and of one: stock's loops differ.
  c.Error(Inputs(o, f, {5, 3}, {F32({4, 3}), Vec({1, 5, 2, 7})}),
          StatusCode::kInvalidArgument, bad_index)
      .Name("a row that is not there");
  c.Error(Inputs(o, f, {5}, {F32({3}), Vec({1, -1, 2})}),
          StatusCode::kInvalidArgument, bad_index)
      .Name("a row that is not there");
  c.Error(Inputs(o, f, {5, 3}, {F32({2, 4}), Vec({1, 2})}),
          StatusCode::kInvalidArgument, "must match in dimension")
      .NoShapeCheck();
}

std::vector<AttrMap> Both(const char* attr) {
  return {{{attr, true}}, {{attr, false}}};
}

}  // namespace millrace::cases
