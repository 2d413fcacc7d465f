#include <algorithm>
#include <memory>
#include <utility>

#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/ops/control_flow/all_rows.grad.h"
#include "millrace/ops/control_flow/conditional_gradient.grad.h"
#include "millrace/ops/control_flow/function_gradient.grad.h"

namespace millrace::ops {
namespace {

// The gradients of the branches and their results. There is at least one
// branch.
class BranchGradients {
 public:
  // `call` is the call of each of the functions; its own name is not set.
  BranchGradients(const GradContext& g, GradientOfCall call,
                  std::vector<NameAttrList> functions) {
    for (NameAttrList& function : functions) {
      call.function = std::move(function);
      branches_.push_back({std::make_unique<FunctionGradient>(g, call), {}});
    }
  }

  Status Build() {
    for (Branch& branch : branches_)
      MR_RETURN_IF_ERROR(branch.gradient->Build());
    return OkStatus();
  }

  // Appends the gradient of argument `i` to the results, with the same types in
  // all branches, and returns what was appended.
  struct Place {
    bool is_any = false;   // else there is no gradient
    bool is_rows = false;  // values, indices and maybe a dense shape
    bool has_shape = false;
  };
  Place AddResults(size_t i) {
    Place place;
    Gradient any;  // of a branch that has one; rows if a branch has rows
    for (const Branch& branch : branches_) {
      const Gradient& dx = branch.gradient->dxs()[i];
      if (dx && !any.is_slices()) any = dx;
    }
    if (!any) return place;
    place.is_any = true;
    place.is_rows = any.is_slices();
    if (!place.is_rows) {
      for (Branch& branch : branches_)
        branch.results.push_back(Dense(branch, i, any));
      return place;
    }
    const std::vector<IndexedSlices> rows = MatchingRows(i, any.slices);
    place.has_shape = static_cast<bool>(rows[0].dense_shape);
    for (size_t b = 0; b < branches_.size(); ++b) {
      std::vector<Output>& results = branches_[b].results;
      results.push_back(rows[b].values);
      results.push_back(rows[b].indices);
      if (place.has_shape) results.push_back(rows[b].dense_shape);
    }
    return place;
  }

  std::vector<DataType> ResultTypes() const {
    std::vector<DataType> types;
    for (const Output& result : branches_[0].results)
      types.push_back(result.dtype());
    return types;
  }
  // Returns the gradient functions, one for each branch.
  StatusOr<std::vector<NameAttrList>> Write() {
    std::vector<NameAttrList> functions;
    for (Branch& branch : branches_) {
      MR_ASSIGN_OR_RETURN(NameAttrList function,
                          branch.gradient->Write(branch.results));
      functions.push_back(std::move(function));
    }
    return functions;
  }
  bool is_stateful() const {
    return std::any_of(
        branches_.begin(), branches_.end(),
        [](const Branch& branch) { return branch.gradient->is_stateful(); });
  }

 private:
  struct Branch {
    std::unique_ptr<FunctionGradient> gradient;
    std::vector<Output> results;
  };

  // Returns a dense gradient of argument `i`: zeros if the branch has none and
  // another branch has one with the type of `other`.
  static Output Dense(const Branch& branch, size_t i, const Gradient& other) {
    const Scope& scope = branch.gradient->scope();
    const Gradient& dx = branch.gradient->dxs()[i];
    if (dx) return ToTensor(scope, dx);
    const Output& arg = branch.gradient->args()[i];
    if (arg.dtype() != DataType::kResource) return ZerosLike(scope, arg);
    return ZerosOfVariable(
        scope, arg,
        other.is_slices() ? other.slices.dtype() : other.tensor.dtype());
  }

  // Returns the rows of each branch, with the same types; a tensor, and zeros
  // of a branch without a gradient, are all rows, as in TensorFlow.
  std::vector<IndexedSlices> MatchingRows(size_t i, const IndexedSlices& any) {
    std::vector<IndexedSlices> rows;
    for (const Branch& branch : branches_) {
      const Gradient& dx = branch.gradient->dxs()[i];
      rows.push_back(dx.is_slices() ? dx.slices
                                    : AllRows(branch.gradient->scope(),
                                              Dense(branch, i, any), any));
    }
    Match(&IndexedSlices::indices, &rows);
    const bool have_shapes =
        std::all_of(rows.begin(), rows.end(), [](const IndexedSlices& one) {
          return static_cast<bool>(one.dense_shape);
        });
    if (have_shapes) {
      Match(&IndexedSlices::dense_shape, &rows);
    } else {
      for (IndexedSlices& one : rows) one.dense_shape = Output();
    }
    return rows;
  }

  // Gives a part of the rows of all branches one type, as MatchRows does for
  // rows of one graph.
  void Match(Output IndexedSlices::*part, std::vector<IndexedSlices>* rows) {
    const DataType first = ((*rows)[0].*part).dtype();
    if (std::all_of(rows->begin(), rows->end(), [&](const IndexedSlices& one) {
          return (one.*part).dtype() == first;
        })) {
      return;
    }
    for (size_t b = 0; b < rows->size(); ++b) {
      Output& t = (*rows)[b].*part;
      if (t.dtype() != DataType::kInt64)
        t = Cast(branches_[b].gradient->scope(), t, DataType::kInt64);
    }
  }

  std::vector<Branch> branches_;
};

// Sets the gradients of the inputs behind the first one from the results of the
// gradient's conditional.
void SetPlaces(GradContext& g,
               const std::vector<BranchGradients::Place>& places,
               const std::vector<Output>& results) {
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
}

}  // namespace

Status ConditionalGradient(
    GradContext& g, const char* op, std::vector<NameAttrList> functions,
    absl::FunctionRef<void(const std::vector<NameAttrList>& functions,
                           OpBuilder& conditional)>
        name_branches) {
  GradientOfCall call;
  std::vector<Output> inputs;
  for (int i = 1; i < g.num_inputs(); ++i) {
    inputs.push_back(g.in(i));
    call.wanted.push_back(g.wants(i));
  }
  call.inputs = inputs;
  for (int i = 0; i < g.num_outputs(); ++i) {
    const bool carries_gradient =
        g.has_dy(i) && CarriesGradient(g.out(i).dtype());
    if (carries_gradient) inputs.push_back(g.dy(i));
    call.dy_types.push_back(carries_gradient ? inputs.back().dtype()
                                             : DataType::kInvalid);
  }
  MR_RETURN_IF_ERROR(g.scope().status());
  const size_t num_args = call.inputs.size();
  BranchGradients branches(g, std::move(call), std::move(functions));
  MR_RETURN_IF_ERROR(branches.Build());
  std::vector<BranchGradients::Place> places;
  for (size_t i = 0; i < num_args; ++i)
    places.push_back(branches.AddResults(i));
  const std::vector<DataType> types = branches.ResultTypes();
  if (types.empty()) return OkStatus();
  MR_ASSIGN_OR_RETURN(const std::vector<NameAttrList> gradients,
                      branches.Write());
  OpBuilder conditional(
      g, branches.is_stateful() ? op : absl::StrCat("Stateless", op));
  conditional.In(g.in(0)).In(InputList(inputs)).Attr("Tout", types);
  name_branches(gradients, conditional);
  conditional.Finish();
  const std::vector<Output> results = conditional.OutList(0);
  MR_RETURN_IF_ERROR(g.scope().status());
  SetPlaces(g, places, results);
  return OkStatus();
}

}  // namespace millrace::ops
