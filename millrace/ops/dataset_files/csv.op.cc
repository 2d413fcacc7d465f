#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

#define MR_CSV_INPUTS                                                 \
  "filenames: string, compression_type: string, buffer_size: int64, " \
  "header: bool, field_delim: string, use_quote_delim: bool, "        \
  "na_value: string, select_cols: int64, record_defaults: output_types"

Status CsvDefaultShape(const PartialShape& fallback) {
  if (fallback.rank() == 1 && fallback.dim(0) > 1) {
    return InvalidArgument(
        "Shape of a default must be a length-0 or length-1 vector, or a "
        "scalar.");
  }
  return OkStatus();
}

// Checks the inputs; kBehind of them follow the defaults, and are vectors.
template <int kBehind>
Status CsvInputs(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRankAtMost(0, 1).status());
  for (int i = 1; i < 7; ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  MR_RETURN_IF_ERROR(c.WithRank(7, 1).status());
  for (int i = 8; i < c.num_inputs() - kBehind; ++i) {
    MR_ASSIGN_OR_RETURN(const PartialShape fallback, c.WithRankAtMost(i, 1));
    MR_RETURN_IF_ERROR(CsvDefaultShape(fallback));
  }
  for (int i = c.num_inputs() - kBehind; i < c.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 1).status());
  }
  return shapes::Scalar(c);
}

consteval OpFields Csv(const char* inputs, ShapeFunction shape) {
  return {
      .inputs = inputs,
      .outputs = "handle: variant",
      .attrs =
          "output_types: list({float, double, int32, int64, string}) >= 1; "
          "output_shapes: list(shape) >= 1",
      .flags = kStateful,
      .shape = shape,
      .doc = "The records of CSV files, one after the other.",
  };
}

}  // namespace

MR_OP(CSVDataset)(Csv(MR_CSV_INPUTS, CsvInputs<0>));

MR_OP(CSVDatasetV2)(Csv(MR_CSV_INPUTS ", exclude_cols: int64", CsvInputs<1>));

MR_OP(ExperimentalCSVDataset)(Csv(MR_CSV_INPUTS, CsvInputs<0>));

}  // namespace millrace::ops
