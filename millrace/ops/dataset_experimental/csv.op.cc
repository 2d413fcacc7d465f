#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

Status CsvInputs(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRankAtMost(0, 1).status());
  for (int i = 1; i < 7; ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  MR_RETURN_IF_ERROR(c.WithRank(7, 1).status());
  for (int i = 8; i < c.num_inputs(); ++i) {
    MR_ASSIGN_OR_RETURN(const PartialShape fallback, c.WithRankAtMost(i, 1));
    if (fallback.rank() == 1 && fallback.dim(0) > 1) {
      return InvalidArgument(
          "Shape of a default must be a length-0 or length-1 vector, or a "
          "scalar.");
    }
  }
  return shapes::Scalar(c);
}

constexpr OpFields kCsv = {
    .inputs =
        "filenames: string, compression_type: string, buffer_size: int64, "
        "header: bool, field_delim: string, use_quote_delim: bool, "
        "na_value: string, select_cols: int64, record_defaults: output_types",
    .outputs = "handle: variant",
    .attrs =
        "output_types: list({float, double, int32, int64, string}) >= 1; "
        "output_shapes: list(shape) >= 1",
    .flags = kStateful,
    .shape = CsvInputs,
    .doc = "The records of CSV files, one after the other.",
};

}  // namespace

MR_OP(CSVDataset)(kCsv);

MR_OP(ExperimentalCSVDataset)(kCsv);

}  // namespace millrace::ops
