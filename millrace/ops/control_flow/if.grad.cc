// Gradients of functional conditionals: one whose branches go back through
// those of the first.
#include <utility>

#include "millrace/client/grad_shapes.h"
#include "millrace/client/op_builder.h"
#include "millrace/ops/control_flow/empty_rows.grad.h"
#include "millrace/ops/control_flow/function_gradient.grad.h"

namespace millrace::ops {
namespace {

// The two branches, and what each of them gives in the end.
class BranchGradients {
 public:
  BranchGradients(const GradContext& g, const GradientOfCall& then,
                  const GradientOfCall& otherwise)
      : branches_{{g, then}, {g, otherwise}} {}

  Status Build() {
    for (FunctionGradient& branch : branches_)
      MR_RETURN_IF_ERROR(branch.Build());
    return OkStatus();
  }

  // Makes what comes back to argument `i` the next results, of the same types
  // in both branches. Says what they are.
  struct Place {
    bool is_any = false;   // else nothing comes back
    bool is_rows = false;  // values, indices and maybe a shape
    bool has_shape = false;
  };
  Place AddResults(size_t i) {
    const Gradient dxs[2] = {branches_[0].dxs()[i], branches_[1].dxs()[i]};
    Place place;
    place.is_any = dxs[0] || dxs[1];
    if (!place.is_any) return place;
    place.is_rows = true;
    for (const Gradient& dx : dxs)
      place.is_rows = place.is_rows && (!dx || dx.is_slices());
    if (!place.is_rows) {
      for (int b = 0; b < 2; ++b)
        results_[b].push_back(Dense(b, i, dxs[b], dxs[1 - b]));
      return place;
    }
    IndexedSlices rows[2];
    for (int b = 0; b < 2; ++b) {
      rows[b] = dxs[b] ? dxs[b].slices
                       : EmptyRows(branches_[b].scope(), branches_[b].args()[i],
                                   dxs[1 - b].slices);
    }
    MatchBranches(rows);
    place.has_shape = static_cast<bool>(rows[0].dense_shape);
    for (int b = 0; b < 2; ++b) {
      results_[b].push_back(rows[b].values);
      results_[b].push_back(rows[b].indices);
      if (place.has_shape) results_[b].push_back(rows[b].dense_shape);
    }
    return place;
  }

  std::vector<DataType> ResultTypes() const {
    std::vector<DataType> types;
    for (const Output& result : results_[0]) types.push_back(result.dtype());
    return types;
  }
  StatusOr<NameAttrList> Write(int branch) {
    return branches_[branch].Write(results_[branch]);
  }
  bool is_stateful() const {
    return branches_[0].is_stateful() || branches_[1].is_stateful();
  }

 private:
  // Zeros where nothing comes back to an argument to which something of the
  // type of `other` comes back in the other branch.
  Output Dense(int branch, size_t i, const Gradient& dx,
               const Gradient& other) const {
    const Scope& scope = branches_[branch].scope();
    if (dx) return ToTensor(scope, dx);
    const Output& arg = branches_[branch].args()[i];
    if (arg.dtype() != DataType::kResource) return ZerosLike(scope, arg);
    return ZerosOfVariable(
        scope, arg,
        other.is_slices() ? other.slices.dtype() : other.tensor.dtype());
  }

  // The types of indices and shapes, as MatchRows of rows of one graph.
  void MatchBranches(IndexedSlices* rows) const {
    const auto match = [&](Output IndexedSlices::*part) {
      if ((rows[0].*part).dtype() == (rows[1].*part).dtype()) return;
      for (int b = 0; b < 2; ++b) {
        Output& t = rows[b].*part;
        if (t.dtype() != DataType::kInt64)
          t = Cast(branches_[b].scope(), t, DataType::kInt64);
      }
    };
    match(&IndexedSlices::indices);
    if (rows[0].dense_shape && rows[1].dense_shape) {
      match(&IndexedSlices::dense_shape);
    } else {
      rows[0].dense_shape = rows[1].dense_shape = Output();
    }
  }

  FunctionGradient branches_[2];
  std::vector<Output> results_[2];
};

Status IfGradient(GradContext& g) {
  GradientOfCall then;
  std::vector<Output> inputs;
  for (int i = 1; i < g.num_inputs(); ++i) {
    inputs.push_back(g.in(i));
    then.wanted.push_back(g.wants(i));
  }
  then.inputs = inputs;
  for (int i = 0; i < g.num_outputs(); ++i) {
    const bool goes_back = g.has_dy(i) && GoesBack(g.out(i).dtype());
    if (goes_back) inputs.push_back(g.dy(i));
    then.dy_types.push_back(goes_back ? inputs.back().dtype()
                                      : DataType::kInvalid);
  }
  MR_RETURN_IF_ERROR(g.scope().status());
  GradientOfCall otherwise = then;
  MR_ASSIGN(const auto then_function,
            g.op().Attr<AttrValue::Func>("then_branch"));
  MR_ASSIGN(const auto else_function,
            g.op().Attr<AttrValue::Func>("else_branch"));
  then.function = *then_function;
  otherwise.function = *else_function;
  BranchGradients branches(g, then, otherwise);
  MR_RETURN_IF_ERROR(branches.Build());
  std::vector<BranchGradients::Place> places;
  for (size_t i = 0; i < then.inputs.size(); ++i)
    places.push_back(branches.AddResults(i));
  const std::vector<DataType> types = branches.ResultTypes();
  if (types.empty()) return OkStatus();
  MR_ASSIGN(const NameAttrList then_gradient, branches.Write(0));
  MR_ASSIGN(const NameAttrList else_gradient, branches.Write(1));
  OpBuilder conditional(g, branches.is_stateful() ? "If" : "StatelessIf");
  conditional.In(g.in(0)).In(InputList(inputs)).Attr("Tout", types);
  conditional.Attr("then_branch", then_gradient);
  conditional.Attr("else_branch", else_gradient);
  conditional.Finish();
  const std::vector<Output> results = conditional.OutList(0);
  MR_RETURN_IF_ERROR(g.scope().status());
  size_t next = 0;
  for (size_t i = 0; i < places.size(); ++i) {
    const BranchGradients::Place& place = places[i];
    if (!place.is_any) continue;
    const int input = static_cast<int>(i) + 1;
    if (!place.is_rows) {
      g.Set(input, results[next++]);
      continue;
    }
    IndexedSlices rows;
    rows.values = results[next++];
    rows.indices = results[next++];
    if (place.has_shape) rows.dense_shape = results[next++];
    g.Set(input, rows);
  }
  return OkStatus();
}

}  // namespace
}  // namespace millrace::ops

using namespace millrace;       // NOLINT: a file of declarations
using namespace millrace::ops;  // NOLINT

MR_GRADIENT(If)(GradContext& g) { g.Fail(IfGradient(g)); }
MR_GRADIENT(StatelessIf)(GradContext& g) { g.Fail(IfGradient(g)); }
