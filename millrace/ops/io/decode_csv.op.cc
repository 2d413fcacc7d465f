#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Sets the output of each column to the shape of the records.
Status DecodeCsvShape(ShapeContext& c) {
  for (int i = 1; i < c.num_inputs(); ++i) {
    MR_ASSIGN_OR_RETURN(const PartialShape fallback, c.WithRankAtMost(i, 1));
    if (fallback.rank() == 1 && fallback.dim(0) > 1) {
      return InvalidArgument(
          "Shape of a default must be a length-0 or length-1 vector, or a "
          "scalar.");
    }
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(0));
  return OkStatus();
}

}  // namespace

MR_OP(DecodeCSV){
    .inputs = "records: string, record_defaults: OUT_TYPE",
    .outputs = "output: OUT_TYPE",
    .attrs =
        "OUT_TYPE: list({float, double, int32, int64, string}) >= 1; "
        "field_delim: string = ','; use_quote_delim: bool = true; "
        "na_value: string = ''; select_cols: list(int) = []",
    .shape = DecodeCsvShape,
    .doc = "The fields of lines of comma separated values, a tensor a column.",
};

}  // namespace millrace::ops
