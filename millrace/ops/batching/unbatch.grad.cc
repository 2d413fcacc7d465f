#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/op_builder.h"

namespace millrace::ops {

MR_GRADIENT(Unbatch)(GradContext& g) {
  OpBuilder batch(g, "UnbatchGrad");
  batch.In(g.in(0)).In(g.in(1)).In(g.dy()).In(g.in(2));
  batch.Attr("shared_name", absl::StrCat("unbatch_gradient_", g.op().name()));
  batch.Finish();
  g.Set(0, batch.Out(0));
}

}  // namespace millrace::ops
