#include "millrace/client/gradients/differentiate_function.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "millrace/client/gradients.h"
#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/op_builder.h"
#include "millrace/graph/builtin_ops.h"
#include "millrace/graph/function/function_body.h"
#include "millrace/graph/function/function_pruning.h"
#include "millrace/graph/import.h"

namespace millrace {
namespace {

// Builds the gradient of a call as a call of the function's gradient, which
// whoever runs it finds.
void GradientOfCall(GradContext& g) {
  std::vector<Output> inputs = g.op().inputs();
  std::vector<DataType> types;
  for (const Output& input : inputs) {
    const DataType variable = g.scope().graph().VariableType(input);
    types.push_back(variable == DataType::kInvalid ? input.dtype() : variable);
  }
  for (int i = 0; i < g.num_outputs(); ++i) inputs.push_back(g.dy(i));
  const auto function = g.Attr<AttrValue::Func>("f");
  if (function == nullptr || inputs.empty()) return;
  OpBuilder gradient(g, builtin::kSymbolicGradient);
  gradient.In(InputList(inputs)).Attr("Tout", types).Attr("f", *function);
  gradient.Finish();
  const std::vector<Output> dxs = gradient.OutList(0);
  for (int i = 0; i < g.num_inputs(); ++i) {
    if (static_cast<size_t>(i) < dxs.size() && g.wants(i))
      g.Set(i, dxs[static_cast<size_t>(i)]);
  }
}

constexpr GradientDecl kCall = {builtin::kCall, &GradientOfCall};
constexpr GradientDecl kStatefulCall = {builtin::kStatefulCall,
                                        &GradientOfCall};

// Returns the body of a function that is one op.
StatusOr<Graph> BodyOfOp(const OpRegistry& ops, const NameAttrList& op) {
  const OpDef* const def = ops.Find(op.name);
  if (def == nullptr || IsBoundary(def->role))
    return NotFound("No gradient defined for op: ", op.name);
  Graph body(&ops);
  MR_ASSIGN_OR_RETURN(Node* const node,
                      body.AddNodeUnconnected(op.name, op.name, op.attrs));
  // Their number may be that of an attribute.
  constexpr int kMaxArguments = 1 << 16;
  if (node->num_inputs() + node->num_outputs() > kMaxArguments) {
    return InvalidArgument("No gradient of op ", op.name, " with ",
                           node->num_inputs(), " inputs and ",
                           node->num_outputs(), " outputs: at most ",
                           kMaxArguments, " are possible");
  }
  for (int32_t i = 0; i < node->num_inputs(); ++i) {
    const DataType type = node->input_types[static_cast<size_t>(i)];
    MR_ASSIGN_OR_RETURN(const Node* const arg,
                        body.AddNode(absl::StrCat("arg_", i), builtin::kArg, {},
                                     {{"T", RemoveRef(type)}, {"index", i}}));
    MR_RETURN_IF_ERROR(body.SetInput(node, i, {arg->id, 0}));
  }
  for (int32_t i = 0; i < node->num_outputs(); ++i) {
    const DataType type = node->output_types[static_cast<size_t>(i)];
    const OutputRef output{node->id, i};
    MR_RETURN_IF_ERROR(body.AddNode(absl::StrCat("result_", i),
                                    builtin::kRetval, {&output, 1},
                                    {{"T", RemoveRef(type)}, {"index", i}})
                           .status());
  }
  return body;
}

// Lives for one call.
class Differentiator {
 public:
  Differentiator(const OpRegistry& ops, const FunctionLibrary& library)
      : ops_(ops), library_(library), scope_(Scope::NewRoot(ops)) {}

  StatusOr<Graph> Run(absl::Span<const GradientDecl* const> table,
                      const Graph& body, absl::Span<const DataType> types) {
    MR_RETURN_IF_ERROR(ImportBody(body, types));
    ops::GradientsOptions options;
    options.zeros_if_unconnected = true;
    std::vector<Output> ys;
    for (const Output& result : results_) {
      const Output dy = AddArg(result.dtype());
      if (!IsFloating(dy.dtype()) && !IsComplex(dy.dtype()) &&
          dy.dtype() != DataType::kVariant) {
        continue;
      }
      ys.push_back(result);
      options.grad_ys.emplace_back(dy);
    }
    MR_RETURN_IF_ERROR(scope_.status());
    const std::vector<Gradient> dxs =
        ops::Gradients(scope_, ys, args_, options, Usable(table));
    for (size_t i = 0; i < dxs.size() && scope_.ok(); ++i) {
      AddResult(ops::ToTensor(scope_, dxs[i]), static_cast<int64_t>(i));
    }
    MR_RETURN_IF_ERROR(scope_.status());
    Graph gradient(&ops_);
    MR_RETURN_IF_ERROR(ImportGraphDef({}, scope_.graph().Export(), &gradient));
    gradient.library() = library_;
    return gradient;
  }

 private:
  // Returns the gradients that build no functions, in which work could multiply
  // with each level of calls.
  std::vector<const GradientDecl*> Usable(
      absl::Span<const GradientDecl* const> table) const {
    std::vector<const GradientDecl*> usable = {&kCall, &kStatefulCall};
    for (const GradientDecl* decl : table) {
      const OpDef* const op = ops_.Find(decl->op);
      const bool calls =
          op != nullptr && std::any_of(op->attrs.begin(), op->attrs.end(),
                                       [](const AttrDef& attr) {
                                         return attr.kind == "func" ||
                                                attr.kind == "list(func)";
                                       });
      if (!calls || decl->build == nullptr) usable.push_back(decl);
    }
    return usable;
  }

  // Imports the body without its _Retval nodes, and without functions: nobody
  // follows the calls.
  Status ImportBody(const Graph& body, absl::Span<const DataType> types) {
    GraphDef def = ExportGraphDef(body);
    def.library = {};
    std::vector<NodeDef> nodes;
    std::vector<std::string> args, results;
    for (NodeDef& node : def.nodes) {
      const bool is_arg = node.op == builtin::kArg;
      if (is_arg || node.op == builtin::kRetval) {
        MR_ASSIGN_OR_RETURN(const auto index,
                            GetAttr<int64_t>(node.attrs, "index"));
        std::vector<std::string>& names = is_arg ? args : results;
        const auto i = static_cast<size_t>(index);
        if (names.size() <= i) names.resize(i + 1);
        names[i] = is_arg ? node.name : node.inputs[0];
        if (!is_arg) continue;
        if (i < types.size()) SetVariable(types[i], &node.attrs);
      }
      nodes.push_back(std::move(node));
    }
    def.nodes = std::move(nodes);
    MR_RETURN_IF_ERROR(scope_.graph().Import(def));
    MR_RETURN_IF_ERROR(FindAll(args, &args_));
    return FindAll(results, &results_);
  }

  // Notes the type of the variable behind a handle, which its gradient has.
  static void SetVariable(DataType type, AttrMap* attrs) {
    const AttrValue* const is = attrs->Find("T");
    if (is == nullptr || is->get<DataType>() == nullptr ||
        *is->get<DataType>() != DataType::kResource ||
        type == DataType::kResource ||
        attrs->Find("_handle_dtypes") != nullptr) {
      return;
    }
    attrs->Set("_handle_dtypes", AttrValue::TypeList{type});
    attrs->Set("_handle_shapes", AttrValue::ShapeList{PartialShape()});
  }

  Status FindAll(const std::vector<std::string>& names,
                 std::vector<Output>* outputs) const {
    for (const std::string& name : names) {
      MR_ASSIGN_OR_RETURN(Output output, scope_.graph().FindOutput(name));
      outputs->push_back(std::move(output));
    }
    return OkStatus();
  }

  Output AddArg(DataType type) {
    OpBuilder arg(scope_.WithOpName("dy"), builtin::kArg);
    const auto index = static_cast<int64_t>(args_.size()) + num_dys_++;
    arg.Attr("T", type).Attr("index", index);
    arg.Finish();
    return arg.Out(0);
  }

  void AddResult(const Output& dx, int64_t index) {
    OpBuilder result(scope_.WithOpName("dx"), builtin::kRetval);
    result.In(dx).Attr("index", index);
    result.Finish();
  }

  const OpRegistry& ops_;
  const FunctionLibrary& library_;
  const Scope scope_;
  std::vector<Output> args_, results_;
  int64_t num_dys_ = 0;
};

}  // namespace

StatusOr<Graph> DifferentiateFunctionBy(
    absl::Span<const GradientDecl* const> table, const OpRegistry& ops,
    const FunctionLibrary& library, const NameAttrList& function,
    absl::Span<const DataType> types) {
  StatusOr<Graph> body = library.Find(function.name) != nullptr
                             ? InstantiateFunction(ops, library, function)
                             : BodyOfOp(ops, function);
  MR_RETURN_IF_ERROR(body.status());
  DropUnread({}, &*body);
  StatusOr<Graph> gradient =
      Differentiator(ops, library).Run(table, *body, types);
  if (gradient.ok()) return gradient;
  return Annotate(
      gradient.status(),
      absl::StrCat("; in the gradient of function '", function.name, "'"));
}

}  // namespace millrace
