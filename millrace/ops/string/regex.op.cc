#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Sets output 0 to the shape of the strings; pattern and rewrite must be
// scalars.
Status PatternShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return c.Return(c.input(0));
}

}  // namespace

MR_OP(StaticRegexFullMatch){
    .inputs = "input: string",
    .outputs = "output: bool",
    .attrs = "pattern: string",
    .shape = shapes::Unchanged,
    .doc = "Returns whether the whole string matches the pattern.",
};

MR_OP(RegexFullMatch){
    .inputs = "input: string, pattern: string",
    .outputs = "output: bool",
    .shape = PatternShape,
    .doc = "StaticRegexFullMatch with the pattern as an input.",
};

MR_OP(StaticRegexReplace){
    .inputs = "input: string",
    .outputs = "output: string",
    .attrs = "pattern: string; rewrite: string; replace_global: bool = true",
    .shape = shapes::Unchanged,
    .doc =
        "Replaces what matches the pattern, everywhere or once; \\\\1 to \\\\9 "
        "in the rewrite stand for groups, \\\\0 for the match.",
};

MR_OP(RegexReplace){
    .inputs = "input: string, pattern: string, rewrite: string",
    .outputs = "output: string",
    .attrs = "replace_global: bool = true",
    .shape = PatternShape,
    .doc = "StaticRegexReplace with pattern and rewrite as inputs.",
};

}  // namespace millrace::ops
