#include "millrace/ops/queue/handle_shapes.op.h"

namespace millrace {
namespace {

Status ReadShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c, 0));
  MR_RETURN_IF_ERROR(ops::CheckHandle(c, 1));
  return shapes::Scalar(c);
}

Status ReadUpToShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c, 0));
  MR_RETURN_IF_ERROR(ops::CheckHandle(c, 1));
  MR_RETURN_IF_ERROR(c.WithRank(2, 0).status());
  for (int i = 0; i < 2; ++i) c.set_output(i, PartialShape({kUnknownDim}));
  return OkStatus();
}

Status RestoreShape(ShapeContext& c) {
  MR_RETURN_IF_ERROR(ops::CheckHandle(c, 0));
  return c.WithRank(1, 0).status();
}

}  // namespace
}  // namespace millrace

namespace millrace::ops {

#define MR_READER_NAME "; container: string = ''; shared_name: string = ''"
#define MR_MAKES_READER(handle, attributes, text)              \
  {                                                            \
    .outputs = "reader_handle: " handle, .attrs = attributes,  \
    .flags = kStateful, .shape = ops::HandleShape, .doc = text \
  }
#define MR_MAKES_OLD_READER(handle, attributes, since, text)        \
  {                                                                 \
    .outputs = "reader_handle: " handle, .attrs = attributes,       \
    .flags = kStateful, .shape = ops::HandleShape, .doc = text,     \
    .deprecated_version = since, .deprecated_hint = "Use the V2 op" \
  }
#define MR_USES_READER(handle, ins, outs, bits, function, text)             \
  {                                                                         \
    .inputs = "reader_handle: " handle ins, .outputs = outs, .flags = bits, \
    .shape = function, .doc = text,                                         \
  }

MR_OP(TextLineReader)
MR_MAKES_OLD_READER("Ref(string)", "skip_header_lines: int = 0" MR_READER_NAME,
                    26, "Reads the lines of files.");
MR_OP(TextLineReaderV2)
MR_MAKES_READER("resource", "skip_header_lines: int = 0" MR_READER_NAME,
                "Reads the lines of files.");
MR_OP(FixedLengthRecordReader)
MR_MAKES_OLD_READER("Ref(string)",
                    "header_bytes: int = 0; record_bytes: int; footer_bytes: "
                    "int = 0; hop_bytes: int = 0" MR_READER_NAME,
                    26, "Reads records of a fixed length.");
MR_OP(FixedLengthRecordReaderV2)
MR_MAKES_READER("resource",
                "header_bytes: int = 0; record_bytes: int; footer_bytes: int = "
                "0; hop_bytes: int = 0" MR_READER_NAME
                "; encoding: string = ''",
                "Reads records of a fixed length.");
MR_OP(TFRecordReader)
MR_MAKES_OLD_READER("Ref(string)",
                    "container: string = ''; shared_name: string = ''; "
                    "compression_type: string = ''",
                    26, "Reads TFRecord files.");
MR_OP(TFRecordReaderV2)
MR_MAKES_READER("resource",
                "container: string = ''; shared_name: string = ''; "
                "compression_type: string = ''",
                "Reads TFRecord files.");
MR_OP(WholeFileReader)
MR_MAKES_READER("Ref(string)",
                "container: string = ''; shared_name: string = ''",
                "Reads whole files; the key is the name.");
MR_OP(WholeFileReaderV2)
MR_MAKES_READER("resource", "container: string = ''; shared_name: string = ''",
                "Reads whole files; the key is the name.");
MR_OP(IdentityReader)
MR_MAKES_OLD_READER("Ref(string)",
                    "container: string = ''; shared_name: string = ''", 26,
                    "Gives the names themselves.");
MR_OP(IdentityReaderV2)
MR_MAKES_READER("resource", "container: string = ''; shared_name: string = ''",
                "Gives the names themselves.");

MR_OP(ReaderRead)
MR_USES_READER("Ref(string)", ", queue_handle: Ref(string)",
               "key: string, value: string", 0, ReadShape,
               "The next record, of the files that the queue names.");
MR_OP(ReaderReadV2)
MR_USES_READER("resource", ", queue_handle: resource",
               "key: string, value: string", kStateful, ReadShape,
               "The next record, of the files that the queue names.");
MR_OP(ReaderReadUpTo)
MR_USES_READER("Ref(string)", ", queue_handle: Ref(string), num_records: int64",
               "keys: string, values: string", 0, ReadUpToShape,
               "Up to `num_records` records, all of one file.");
MR_OP(ReaderReadUpToV2)
MR_USES_READER("resource", ", queue_handle: resource, num_records: int64",
               "keys: string, values: string", kStateful, ReadUpToShape,
               "Up to `num_records` records, all of one file.");
MR_OP(ReaderNumRecordsProduced)
MR_USES_READER("Ref(string)", "", "records_produced: int64", 0,
               ops::ScalarsOfHandle, "Records read so far.");
MR_OP(ReaderNumRecordsProducedV2)
MR_USES_READER("resource", "", "records_produced: int64", kStateful,
               ops::ScalarsOfHandle, "Records read so far.");
MR_OP(ReaderNumWorkUnitsCompleted)
MR_USES_READER("Ref(string)", "", "units_completed: int64", 0,
               ops::ScalarsOfHandle, "Files read to their end so far.");
MR_OP(ReaderNumWorkUnitsCompletedV2)
MR_USES_READER("resource", "", "units_completed: int64", kStateful,
               ops::ScalarsOfHandle, "Files read to their end so far.");
MR_OP(ReaderSerializeState)
MR_USES_READER("Ref(string)", "", "state: string", 0, ops::ScalarsOfHandle,
               "Where the reader is, as a string.");
MR_OP(ReaderSerializeStateV2)
MR_USES_READER("resource", "", "state: string", kStateful, ops::ScalarsOfHandle,
               "Where the reader is, as a string.");
MR_OP(ReaderRestoreState)
MR_USES_READER("Ref(string)", ", state: string", "", 0, RestoreShape,
               "Puts the reader where ReaderSerializeState was called.");
MR_OP(ReaderRestoreStateV2)
MR_USES_READER("resource", ", state: string", "", kStateful, RestoreShape,
               "Puts the reader where ReaderSerializeState was called.");
MR_OP(ReaderReset)
MR_USES_READER("Ref(string)", "", "", 0, ops::ScalarsOfHandle,
               "Puts the reader back to its start.");
MR_OP(ReaderResetV2)
MR_USES_READER("resource", "", "", kStateful, ops::ScalarsOfHandle,
               "Puts the reader back to its start.");

}  // namespace millrace::ops
