#include "millrace/graph/shape_context.h"

namespace millrace {
namespace {

// Scalars join with anything; all others have one shape.
Status JoinShape(ShapeContext& c) {
  PartialShape shape({});
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).known_rank()) return c.Return(PartialShape());
    if (c.input(i).rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = c.input(i);
    } else {
      MR_ASSIGN(shape, ShapeContext::MergeShapes(shape, c.input(i)));
    }
  }
  return c.Return(std::move(shape));
}

Status MatchShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  return c.Return(c.input(0));
}

}  // namespace
}  // namespace millrace

using namespace millrace;

MR_OP(StringJoin){
    .inputs = "inputs: N * string",
    .outputs = "output: string",
    .attrs = "N: int >= 0; separator: string = ''",
    .shape = JoinShape,
    .doc = "Joins strings element by element.",
};

MR_OP(StaticRegexFullMatch){
    .inputs = "input: string",
    .outputs = "output: bool",
    .attrs = "pattern: string",
    .shape = shapes::Unchanged,
    .doc = "Whether the whole string matches the pattern.",
};

MR_OP(RegexFullMatch){
    .inputs = "input: string, pattern: string",
    .outputs = "output: bool",
    .shape = MatchShape,
    .doc = "StaticRegexFullMatch with the pattern as an input.",
};
