#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace::ops {
namespace {

Status ReadShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c, 0));
  MR_RETURN_IF_ERROR(CheckHandle(c, 1));
  return shapes::Scalar(c);
}

Status ReadUpToShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c, 0));
  MR_RETURN_IF_ERROR(CheckHandle(c, 1));
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  for (int i = 0; i < 2; ++i) c.set_output(i, PartialShape({kUnknownDim}));
  return OkStatus();
}

Status RestoreShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(CheckHandle(c, 0));
  return c.WithRank(1, 0).status();
}

// Completes the schema of an op that makes a reader, with a handle of the first
// generation: a reference to strings.
consteval OpFields ReferenceReader(OpFields fields) {
  fields.outputs = "reader_handle: Ref(string)";
  fields.flags = kStateful;
  fields.shape = HandleShape;
  return fields;
}

// Completes the schema of such an op that current graphs must not contain.
consteval OpFields DeprecatedReader(OpFields fields) {
  fields = ReferenceReader(fields);
  fields.deprecated_version = 26;
  fields.deprecated_hint = "Use the V2 op";
  return fields;
}

// Completes the schema of an op that makes a reader, with a resource handle.
consteval OpFields ResourceReader(OpFields fields) {
  fields = ReferenceReader(fields);
  fields.outputs = "reader_handle: resource";
  return fields;
}

// Returns the V2 form of an op on references; it has resources as `inputs`.
consteval OpFields ForResource(OpFields fields, const char* inputs) {
  fields.inputs = inputs;
  fields.flags = kStateful;
  return fields;
}

constexpr OpFields kRead = {
    .inputs = "reader_handle: Ref(string), queue_handle: Ref(string)",
    .outputs = "key: string, value: string",
    .shape = ReadShape,
    .doc = "The next record, of the files that the queue names.",
};

constexpr OpFields kReadUpTo = {
    .inputs =
        "reader_handle: Ref(string), queue_handle: Ref(string), num_records: "
        "int64",
    .outputs = "keys: string, values: string",
    .shape = ReadUpToShape,
    .doc = "Up to `num_records` records, all of one file.",
};

constexpr OpFields kNumRecordsProduced = {
    .inputs = "reader_handle: Ref(string)",
    .outputs = "records_produced: int64",
    .shape = ScalarsOfHandle,
    .doc = "Records read so far.",
};

constexpr OpFields kNumWorkUnitsCompleted = {
    .inputs = "reader_handle: Ref(string)",
    .outputs = "units_completed: int64",
    .shape = ScalarsOfHandle,
    .doc = "Files read to their end so far.",
};

constexpr OpFields kSerializeState = {
    .inputs = "reader_handle: Ref(string)",
    .outputs = "state: string",
    .shape = ScalarsOfHandle,
    .doc = "Returns where the reader is, as a string.",
};

constexpr OpFields kRestoreState = {
    .inputs = "reader_handle: Ref(string), state: string",
    .shape = RestoreShape,
    .doc = "Puts the reader where ReaderSerializeState was called.",
};

constexpr OpFields kReset = {
    .inputs = "reader_handle: Ref(string)",
    .shape = ScalarsOfHandle,
    .doc = "Puts the reader back to its start.",
};

}  // namespace

MR_OP(TextLineReader){DeprecatedReader({
    .attrs = "skip_header_lines: int = 0; container: string = ''; shared_name: "
             "string = ''",
    .doc = "Reads the lines of files.",
})};
MR_OP(TextLineReaderV2){ResourceReader({
    .attrs = "skip_header_lines: int = 0; container: string = ''; shared_name: "
             "string = ''",
    .doc = "Reads the lines of files.",
})};

MR_OP(FixedLengthRecordReader){DeprecatedReader({
    .attrs =
        "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; "
        "hop_bytes: int = 0; container: string = ''; shared_name: string = ''",
    .doc = "Reads records of a fixed length.",
})};
MR_OP(FixedLengthRecordReaderV2){ResourceReader({
    .attrs = "header_bytes: int = 0; record_bytes: int; footer_bytes: int = 0; "
             "hop_bytes: int = 0; container: string = ''; shared_name: string "
             "= ''; encoding: string = ''",
    .doc = "Reads records of a fixed length.",
})};

MR_OP(TFRecordReader){DeprecatedReader({
    .attrs = "container: string = ''; shared_name: string = ''; "
             "compression_type: string = ''",
    .doc = "Reads TFRecord files.",
})};
MR_OP(TFRecordReaderV2){ResourceReader({
    .attrs = "container: string = ''; shared_name: string = ''; "
             "compression_type: string = ''",
    .doc = "Reads TFRecord files.",
})};

MR_OP(LMDBReader){ReferenceReader({
    .attrs = "container: string = ''; shared_name: string = ''",
    .doc = "Reads the records of LMDB databases, with their keys.",
})};

MR_OP(WholeFileReader){ReferenceReader({
    .attrs = "container: string = ''; shared_name: string = ''",
    .doc = "Reads whole files; the key is the name.",
})};
MR_OP(WholeFileReaderV2){ResourceReader({
    .attrs = "container: string = ''; shared_name: string = ''",
    .doc = "Reads whole files; the key is the name.",
})};

MR_OP(IdentityReader){DeprecatedReader({
    .attrs = "container: string = ''; shared_name: string = ''",
    .doc = "Gives the names themselves.",
})};
MR_OP(IdentityReaderV2){ResourceReader({
    .attrs = "container: string = ''; shared_name: string = ''",
    .doc = "Gives the names themselves.",
})};

MR_OP(ReaderRead){kRead};
MR_OP(ReaderReadV2){
    ForResource(kRead, "reader_handle: resource, queue_handle: resource")};

MR_OP(ReaderReadUpTo){kReadUpTo};
MR_OP(ReaderReadUpToV2){ForResource(
    kReadUpTo,
    "reader_handle: resource, queue_handle: resource, num_records: int64")};

MR_OP(ReaderNumRecordsProduced){kNumRecordsProduced};
MR_OP(ReaderNumRecordsProducedV2){
    ForResource(kNumRecordsProduced, "reader_handle: resource")};

MR_OP(ReaderNumWorkUnitsCompleted){kNumWorkUnitsCompleted};
MR_OP(ReaderNumWorkUnitsCompletedV2){
    ForResource(kNumWorkUnitsCompleted, "reader_handle: resource")};

MR_OP(ReaderSerializeState){kSerializeState};
MR_OP(ReaderSerializeStateV2){
    ForResource(kSerializeState, "reader_handle: resource")};

MR_OP(ReaderRestoreState){kRestoreState};
MR_OP(ReaderRestoreStateV2){
    ForResource(kRestoreState, "reader_handle: resource, state: string")};

MR_OP(ReaderReset){kReset};
MR_OP(ReaderResetV2){ForResource(kReset, "reader_handle: resource")};

}  // namespace millrace::ops
