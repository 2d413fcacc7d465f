#include "millrace/client/gradients/grad_context.h"
#include "millrace/client/op_builder.h"

namespace millrace::ops {

// Each run gets its rows of the gradient of the batch.
MR_GRADIENT(Batch)(GradContext& g) {
  const int count = g.num_inputs();
  for (int i = 0; i < count; ++i) {
    if (!g.wants(i)) continue;
    OpBuilder rows(g, "Unbatch");
    rows.In(g.dy(i)).In(g.out(count)).In(g.out(count + 1));
    rows.Attr("timeout_micros", g.Attr<int64_t>("grad_timeout_micros"));
    rows.Attr("shared_name",
              absl::StrCat("batch_gradient_", g.op().name(), "_", i));
    rows.Finish();
    g.Set(i, rows.Out(0));
  }
}

}  // namespace millrace::ops
