#include "millrace/ops/control_flow/conditional_gradient.grad.h"

namespace millrace::ops {
namespace {

Status IfGradient(GradContext& g) {
  MR_ASSIGN_OR_RETURN(const auto then,
                      g.op().Attr<AttrValue::Func>("then_branch"));
  MR_ASSIGN_OR_RETURN(const auto otherwise,
                      g.op().Attr<AttrValue::Func>("else_branch"));
  return ConditionalGradient(
      g, "If", {*then, *otherwise},
      [](const std::vector<NameAttrList>& functions, OpBuilder& conditional) {
        conditional.Attr("then_branch", functions[0]);
        conditional.Attr("else_branch", functions[1]);
      });
}

}  // namespace

MR_GRADIENT(If)(GradContext& g) { g.Fail(IfGradient(g)); }

MR_GRADIENT(StatelessIf)(GradContext& g) { g.Fail(IfGradient(g)); }

}  // namespace millrace::ops
