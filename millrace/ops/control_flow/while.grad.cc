// Gradients of functional loops: the forward loop runs again and keeps the
// variables of each iteration in lists; a backward loop takes them from the
// lists, from the last iteration on, and calls the gradient of the body.
#include <algorithm>
#include <utility>

#include "millrace/client/gradients/grad_shapes.h"
#include "millrace/client/op_builder.h"
#include "millrace/graph/function/function_body.h"
#include "millrace/ops/control_flow/function_gradient.grad.h"
#include "millrace/ops/control_flow/function_writer.grad.h"

namespace millrace::ops {
namespace {

std::vector<DataType> TypesOf(const std::vector<Output>& outputs) {
  std::vector<DataType> types;
  for (const Output& output : outputs) types.push_back(output.dtype());
  return types;
}

Output AnyShape(const Scope& scope) { return Const(scope, -1); }

// Builds the gradient of one loop. Lives for one call.
class LoopGradient {
 public:
  explicit LoopGradient(GradContext& g)
      : g_(g), graph_(g.scope().graph()), loop_(g.op().inputs()) {}

  Status Build() {
    MR_RETURN_IF_ERROR(FindFunctions());
    MR_RETURN_IF_ERROR(MayRunAgain());
    MR_RETURN_IF_ERROR(FindVariables());
    MR_RETURN_IF_ERROR(GoBackThroughBody());
    if (dxs_.empty()) return SetOthers();
    MR_RETURN_IF_ERROR(RunAgain());
    return RunBackwards();
  }

 private:
  // How the gradient of a loop variable is computed.
  struct Variable {
    bool stays = false;    // the body returns it unchanged
    bool is_kept = false;  // its values are needed, one for each iteration
    int dy = -1;           // index among the gradients of the body's results
    int dx = -1;           // index among the results of the body's gradient
  };

  Status FindFunctions() {
    MR_ASSIGN_OR_RETURN(const auto condition,
                        g_.op().Attr<AttrValue::Func>("cond"));
    MR_ASSIGN_OR_RETURN(const auto body, g_.op().Attr<AttrValue::Func>("body"));
    condition_ = *condition;
    body_ = *body;
    is_stateful_ = g_.op().type() == "While";
    return OkStatus();
  }

  // Returns OK if all of the loop may run again.
  Status MayRunAgain() {
    Status again;
    const CallSurroundings around = SurroundingsOf(graph_);
    graph_.Read([&](const Graph& graph) {
      CallEffects effects(&graph, around);
      effects.Runs(*g_.op().node());
      again = effects.MayRunAgain(*g_.op().node());
    });
    if (again.ok()) return again;
    return Unimplemented(
        "No gradient of loop '", g_.op().name(),
        "': its functions would run once more: ", again.message());
  }

  Status FindVariables() {
    variables_.resize(loop_.size());
    Status status;
    graph_.Read([&](const Graph& graph) {
      const auto body =
          InstantiateFunction(graph.ops(), graph.library(), body_);
      const auto condition =
          InstantiateFunction(graph.ops(), graph.library(), condition_);
      status = body.ok() ? condition.status() : body.status();
      if (!status.ok()) return;
      for (const int32_t i : InvariantArgs(*body)) {
        if (static_cast<size_t>(i) < variables_.size())
          variables_[static_cast<size_t>(i)].stays = true;
      }
      for (NodeId id = 0; id < condition->num_ids(); ++id) {
        const Node* node = condition->node(id);
        if (node != nullptr && node->IsOp("_Retval"))
          truth_type_ = RemoveRef(node->input_types[0]);
      }
    });
    MR_RETURN_IF_ERROR(status);
    for (size_t i = 0; i < loop_.size(); ++i) {
      if (loop_[i].dtype() == DataType::kResource && !variables_[i].stays) {
        return Unimplemented("No gradient of loop '", g_.op().name(),
                             "': its variable ", i,
                             " is a handle that may change");
      }
    }
    return OkStatus();
  }

  // Builds the gradient function of one iteration. Its arguments are the
  // variables and the gradients of those that change.
  Status GoBackThroughBody() {
    GradientOfCall of;
    of.function = body_;
    of.inputs = loop_;
    of.is_loop = true;
    for (size_t i = 0; i < loop_.size(); ++i) {
      const DataType type = loop_[i].dtype();
      const bool carries_gradient =
          !variables_[i].stays && CarriesGradient(type);
      of.dy_types.push_back(carries_gradient ? type : DataType::kInvalid);
      if (carries_gradient) variables_[i].dy = num_dys_++;
      // The gradients of changing variables matter for other variables, too.
      of.wanted.push_back(carries_gradient || g_.wants(static_cast<int>(i)));
    }
    FunctionGradient gradient(g_, std::move(of));
    MR_RETURN_IF_ERROR(gradient.Build());
    const Scope& inside = gradient.scope();
    std::vector<Output> results;
    for (size_t i = 0; i < loop_.size(); ++i) {
      Variable& variable = variables_[i];
      Output dx = ToTensor(inside, gradient.dxs()[i]);
      if (!dx && variable.dy >= 0) {
        const auto dy = loop_.size() + static_cast<size_t>(variable.dy);
        // A list of gradients begins anew with as many elements.
        dx = ZerosLike(inside, loop_[i].dtype() == DataType::kVariant
                                   ? gradient.args()[dy]
                                   : gradient.args()[i]);
      }
      if (!dx) continue;
      variable.dx = static_cast<int>(dxs_.size());
      dxs_.push_back(dx.dtype());
      results.push_back(dx);
    }
    if (dxs_.empty()) return OkStatus();
    MR_ASSIGN_OR_RETURN(body_gradient_, gradient.Write(results));
    gradient_is_stateful_ = gradient.is_stateful();
    for (size_t i = 0; i < loop_.size(); ++i)
      variables_[i].is_kept = !variables_[i].stays && gradient.Uses(i);
    return OkStatus();
  }

  // Returns the indices of the variables whose values are kept.
  std::vector<size_t> Kept() const {
    std::vector<size_t> kept;
    for (size_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i].is_kept) kept.push_back(i);
    }
    return kept;
  }

  using Results = absl::FunctionRef<std::vector<Output>(
      const Scope& scope, const std::vector<Output>& args)>;
  StatusOr<NameAttrList> New(const std::string& name,
                             const std::vector<DataType>& types,
                             Results results) {
    return BuildFunction(graph_, NameOfNewFunction(graph_, name), types,
                         results);
  }

  // Adds a loop whose variables begin as `begin`.
  std::vector<Output> Loop(const std::vector<Output>& begin,
                           const NameAttrList& condition,
                           const NameAttrList& body, bool is_stateful) {
    OpBuilder loop(g_, is_stateful ? "While" : "StatelessWhile");
    loop.In(InputList(begin)).Attr("cond", condition).Attr("body", body);
    if (const auto parallel = g_.op().Attr<int64_t>("parallel_iterations");
        parallel.ok()) {
      loop.Attr("parallel_iterations", *parallel);
    }
    loop.Finish();
    return loop.OutList(0);
  }

  // Adds the loop that counts the iterations and keeps what each one must; sets
  // `count_` and `lists_`.
  Status RunAgain() {
    const std::vector<size_t> kept = Kept();
    std::vector<Output> begin = {Const(g_, 0)};
    for (const size_t i : kept)
      begin.push_back(EmptyTensorList(g_, AnyShape(g_), -1, loop_[i].dtype()));
    begin.insert(begin.end(), loop_.begin(), loop_.end());
    MR_RETURN_IF_ERROR(g_.scope().status());
    const size_t first = 1 + kept.size();
    const auto variables = [first](const std::vector<Output>& args) {
      return std::vector<Output>(args.begin() + static_cast<int64_t>(first),
                                 args.end());
    };
    const std::vector<DataType> types = TypesOf(begin);
    MR_ASSIGN_OR_RETURN(
        const NameAttrList condition_again,
        New("__again_" + condition_.name, types,
            [&](const Scope& s, const std::vector<Output>& args) {
              return CallFunction(s, condition_, is_stateful_, variables(args),
                                  {truth_type_});
            }));
    MR_ASSIGN_OR_RETURN(
        const NameAttrList body_again,
        New("__again_" + body_.name, types,
            [&](const Scope& s, const std::vector<Output>& args) {
              std::vector<Output> next = {AddV2(s, args[0], 1)};
              for (size_t k = 0; k < kept.size(); ++k) {
                next.push_back(
                    TensorListPushBack(s, args[1 + k], args[first + kept[k]]));
              }
              const std::vector<Output> values = CallFunction(
                  s, body_, is_stateful_, variables(args), TypesOf(loop_));
              for (size_t i = 0; i < values.size(); ++i) {
                next.push_back(variables_[i].stays ? args[first + i]
                                                   : values[i]);
              }
              return next;
            }));
    const std::vector<Output> end =
        Loop(begin, condition_again, body_again, is_stateful_);
    MR_RETURN_IF_ERROR(g_.scope().status());
    count_ = end[0];
    lists_.assign(end.begin() + 1, end.begin() + static_cast<int64_t>(first));
    return OkStatus();
  }

  // Returns the gradient with which the backward loop begins: that of the
  // result of a changing variable, or zeros, to which an unchanged variable's
  // gradients are added.
  Output BeginOf(size_t i) {
    if (variables_[i].dy >= 0) return g_.dy(static_cast<int>(i));
    const DataType type = dxs_[static_cast<size_t>(variables_[i].dx)];
    return loop_[i].dtype() == DataType::kResource
               ? ZerosOfVariable(g_, loop_[i], type)
               : ZerosLike(g_, loop_[i]);
  }

  // Adds the backward loop. Its variables are the count, the lists, the
  // gradients, and the initial values of the variables that stay or whose
  // values do not matter.
  Status RunBackwards() {
    const std::vector<size_t> kept = Kept();
    std::vector<Output> begin = {count_};
    begin.insert(begin.end(), lists_.begin(), lists_.end());
    const size_t first_dx = begin.size();
    std::vector<size_t> order;  // order of the gradients by dx
    for (size_t i = 0; i < variables_.size(); ++i) {
      if (variables_[i].dx < 0) continue;
      order.push_back(i);
      begin.push_back(BeginOf(i));
    }
    const size_t first_value = begin.size();
    begin.insert(begin.end(), loop_.begin(), loop_.end());
    MR_RETURN_IF_ERROR(g_.status());
    MR_RETURN_IF_ERROR(g_.scope().status());
    const std::vector<DataType> types = TypesOf(begin);
    MR_ASSIGN_OR_RETURN(
        const NameAttrList condition_back,
        New("__back_" + condition_.name, types,
            [](const Scope& s, const std::vector<Output>& args) {
              return std::vector<Output>{Greater(s, args[0], 0)};
            }));
    const auto back = [&](const Scope& s, const std::vector<Output>& args) {
      std::vector<Output> next = args;
      next[0] = Sub(s, args[0], 1);
      std::vector<Output> given(
          args.begin() + static_cast<int64_t>(first_value), args.end());
      for (size_t k = 0; k < kept.size(); ++k) {
        const auto popped = TensorListPopBack(s, args[1 + k], AnyShape(s),
                                              loop_[kept[k]].dtype());
        next[1 + k] = popped.output_handle;
        given[kept[k]] = popped.tensor;
      }
      given.resize(loop_.size() + static_cast<size_t>(num_dys_));
      for (size_t k = 0; k < order.size(); ++k) {
        const Variable& variable = variables_[order[k]];
        if (variable.dy < 0) continue;
        given[loop_.size() + static_cast<size_t>(variable.dy)] =
            args[first_dx + k];
      }
      const std::vector<Output> dxs =
          CallFunction(s, body_gradient_, gradient_is_stateful_, given, dxs_);
      for (size_t k = 0; k < order.size(); ++k) {
        const bool adds_up = variables_[order[k]].dy < 0;
        next[first_dx + k] =
            adds_up ? AddN(s, {args[first_dx + k], dxs[k]}) : dxs[k];
      }
      return next;
    };
    MR_ASSIGN_OR_RETURN(const NameAttrList body_back,
                        New("__back_" + body_.name, types, back));
    const std::vector<Output> end =
        Loop(begin, condition_back, body_back, gradient_is_stateful_);
    MR_RETURN_IF_ERROR(g_.scope().status());
    for (size_t k = 0; k < order.size(); ++k)
      SetResult(order[k], end[first_dx + k]);
    return SetOthers();
  }

  void SetResult(size_t i, const Output& dx) {
    const int input = static_cast<int>(i);
    Gradient total = dx;
    // The gradient of the result of an unchanged variable is one of the
    // argument.
    if (variables_[i].stays && g_.has_dy(input))
      total = SumGradients(g_, {g_.gradient(input), dx});
    g_.Set(input, total);
  }

  // Sets the gradients of unchanged variables that the body does not use.
  Status SetOthers() {
    for (size_t i = 0; i < variables_.size(); ++i) {
      const int input = static_cast<int>(i);
      if (variables_[i].stays && variables_[i].dx < 0 && g_.has_dy(input) &&
          CarriesGradient(loop_[i].dtype())) {
        g_.Set(input, g_.gradient(input));
      }
    }
    return g_.scope().status();
  }

  GradContext& g_;
  ClientGraph& graph_;
  const std::vector<Output> loop_;  // initial values of its variables
  NameAttrList condition_, body_;
  bool is_stateful_ = false;
  DataType truth_type_ = DataType::kBool;
  std::vector<Variable> variables_;
  int num_dys_ = 0;
  std::vector<DataType> dxs_;  // types of the results of the body's gradient
  NameAttrList body_gradient_;
  bool gradient_is_stateful_ = false;
  Output count_;
  std::vector<Output> lists_;
};

}  // namespace

MR_GRADIENT(While)(GradContext& g) { g.Fail(LoopGradient(g).Build()); }
MR_GRADIENT(StatelessWhile)(GradContext& g) { g.Fail(LoopGradient(g).Build()); }

}  // namespace millrace::ops
