#include <utility>

#include "millrace/ops/control_flow/conditional_gradient.grad.h"

namespace millrace::ops {
namespace {

Status CaseGradient(GradContext& g) {
  MR_ASSIGN_OR_RETURN(const auto branches,
                      g.op().Attr<AttrValue::FuncList>("branches"));
  std::vector<NameAttrList> functions;
  for (const AttrValue::Func& branch : branches) functions.push_back(*branch);
  return ConditionalGradient(
      g, "Case", std::move(functions),
      [](const std::vector<NameAttrList>& gradients, OpBuilder& conditional) {
        conditional.Attr("branches", gradients);
      });
}

}  // namespace

MR_GRADIENT(Case)(GradContext& g) { g.Fail(CaseGradient(g)); }

MR_GRADIENT(StatelessCase)(GradContext& g) { g.Fail(CaseGradient(g)); }

}  // namespace millrace::ops
