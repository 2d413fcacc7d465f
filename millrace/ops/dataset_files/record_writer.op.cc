#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

constexpr OpFields kToRecords = {
    .inputs =
        "input_dataset: variant, filename: string, compression_type: string",
    .flags = kStateful,
    .shape = shapes::NoOutputs,
    .doc = "Writes the strings of a data set to a TFRecord file.",
};

}  // namespace

MR_OP(DatasetToTFRecord)(kToRecords);

MR_OP(ExperimentalDatasetToTFRecord)(kToRecords);

}  // namespace millrace::ops
