// Schemas of data sets of records in files.
#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {
namespace {

// Requires a scalar or a vector of names, and scalars for all other inputs.
Status NamesAndScalars(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRankAtMost(0, 1).status());
  for (int i = 1; i < c.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return shapes::Scalar(c);
}

Status NamesAndOffsets(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRankAtMost(0, 1).status());
  MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  MR_RETURN_IF_ERROR(c.WithRankAtMost(3, 1).status());
  return shapes::Scalar(c);
}

}  // namespace

MR_OP(TextLineDataset){
    .inputs = "filenames: string, compression_type: string, buffer_size: int64",
    .outputs = "handle: variant",
    .attrs = "metadata: string = ''",
    .flags = kStateful,
    .shape = NamesAndScalars,
    .doc = "The lines of files, one after the other.",
};

MR_OP(TFRecordDataset){
    .inputs = "filenames: string, compression_type: string, buffer_size: int64",
    .outputs = "handle: variant",
    .attrs = "metadata: string = ''",
    .flags = kStateful,
    .shape = NamesAndScalars,
    .doc = "The records of TFRecord files, one after the other.",
};

MR_OP(TFRecordDatasetV2){
    .inputs =
        "filenames: string, compression_type: string, buffer_size: "
        "int64, byte_offsets: int64",
    .outputs = "handle: variant",
    .attrs = "metadata: string = ''",
    .flags = kStateful,
    .shape = NamesAndOffsets,
    .doc = "The records of TFRecord files from given places on.",
};

MR_OP(FixedLengthRecordDataset){
    .inputs =
        "filenames: string, header_bytes: int64, record_bytes: int64, "
        "footer_bytes: int64, buffer_size: int64",
    .outputs = "handle: variant",
    .attrs = "metadata: string = ''",
    .flags = kStateful,
    .shape = NamesAndScalars,
    .doc = "The records of files in which all have one length.",
};

MR_OP(FixedLengthRecordDatasetV2){
    .inputs =
        "filenames: string, header_bytes: int64, record_bytes: int64, "
        "footer_bytes: int64, buffer_size: int64, compression_type: "
        "string",
    .outputs = "handle: variant",
    .attrs = "metadata: string = ''",
    .flags = kStateful,
    .shape = NamesAndScalars,
    .doc = "The records of files in which all have one length.",
};

}  // namespace millrace::ops
