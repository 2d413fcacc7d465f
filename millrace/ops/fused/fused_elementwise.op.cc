#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status AllBroadcast(ShapeContext& c) {
  if (c.num_outputs() > 1) return OkStatus();  // each of some of the inputs
  PartialShape shape = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    MR_ASSIGN_OR_RETURN(shape, shapes::BroadcastShapes(shape, c.input(i)));
  }
  return c.Return(std::move(shape));
}

}  // namespace

MR_OP(_FusedElementwise){
    .inputs = "args: Targs",
    .outputs = "results: Tresults",
    .attrs = "Targs: list(type) >= 1; Tresults: list(type) >= 1",
    .shape = AllBroadcast,
    .doc =
        "Several elementwise ops as one pass over memory. Made by graph "
        "rewriting when a graph is compiled; no graph from outside has it.",
};

}  // namespace millrace::ops
