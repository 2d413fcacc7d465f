#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

// Requires prefix and names: a scalar and two vectors of one length.
Status NamesShape(ShapeContext& c, int outputs) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  MR_ASSIGN_OR_RETURN(const PartialShape names, c.WithRank(1, 1));
  MR_ASSIGN_OR_RETURN(const PartialShape slices, c.WithRank(2, 1));
  MR_RETURN_IF_ERROR(
      ShapeContext::MergeDims(names.dim(0), slices.dim(0)).status());
  for (int i = 0; i < outputs; ++i) c.set_output(i, PartialShape());
  return OkStatus();
}

Status SaveV2Shape(ShapeContext& c) { return NamesShape(c, 0); }

// A slice states its shape; that of the stored tensor is not known here.
Status RestoreV2Shape(ShapeContext& c) {
  return NamesShape(c, c.num_outputs());
}

Status MergeShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 1).status());
  return c.WithRank(1, 0).status();
}

Status ScalarInputs(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return shapes::Scalar(c);
}

Status SaveShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
  return c.WithRank(1, 1).status();
}

Status RestoreShape(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    MR_RETURN_IF_ERROR(c.WithRank(i, 0).status());
  }
  return shapes::Unknown(c);
}

}  // namespace

MR_OP(SaveV2){
    .inputs =
        "prefix: string, tensor_names: string, shape_and_slices: "
        "string, tensors: dtypes",
    .attrs = "dtypes: list(type) >= 1",
    .flags = kStateful,
    .shape = SaveV2Shape,
    .doc = "Writes tensors as a checkpoint of format V2.",
};

MR_OP(RestoreV2){
    .inputs = "prefix: string, tensor_names: string, shape_and_slices: string",
    .outputs = "tensors: dtypes",
    .attrs = "dtypes: list(type) >= 1",
    .flags = kStateful,
    .shape = RestoreV2Shape,
    .doc = "Reads tensors from a checkpoint of either format.",
};

MR_OP(MergeV2Checkpoints){
    .inputs = "checkpoint_prefixes: string, destination_prefix: string",
    .attrs = "delete_old_dirs: bool = true; allow_missing_files: bool = false",
    .flags = kStateful,
    .shape = MergeShape,
    .doc = "Joins the parts of a sharded save into one checkpoint.",
};

MR_OP(SaveSlices){
    .inputs =
        "filename: string, tensor_names: string, shapes_and_slices: "
        "string, data: T",
    .attrs = "T: list(type) >= 1",
    .flags = kStateful,
    .shape = SaveV2Shape,
    .doc = "Writes tensors as a checkpoint of the old format V1.",
};

MR_OP(Save){
    .inputs = "filename: string, tensor_names: string, data: T",
    .attrs = "T: list(type) >= 1",
    .flags = kStateful,
    .shape = SaveShape,
    .doc = "SaveSlices without slices.",
};

MR_OP(Restore){
    .inputs = "file_pattern: string, tensor_name: string",
    .outputs = "tensor: dt",
    .attrs = "dt: type; preferred_shard: int = -1",
    .flags = kStateful,
    .shape = RestoreShape,
    .doc = "Reads one tensor from a checkpoint.",
};

MR_OP(RestoreSlice){
    .inputs =
        "file_pattern: string, tensor_name: string, shape_and_slice: "
        "string",
    .outputs = "tensor: dt",
    .attrs = "dt: type; preferred_shard: int = -1",
    .flags = kStateful,
    .shape = RestoreShape,
    .doc = "Reads a part of one tensor from a checkpoint.",
};

MR_OP(ShardedFilename){
    .inputs = "basename: string, shard: int32, num_shards: int32",
    .outputs = "filename: string",
    .shape = ScalarInputs,
    .doc = "NAME-00003-of-00010.",
};

MR_OP(ShardedFilespec){
    .inputs = "basename: string, num_shards: int32",
    .outputs = "filename: string",
    .shape = ScalarInputs,
    .doc = "The pattern of all shards: any five digits, -of-00010.",
};

}  // namespace millrace::ops
