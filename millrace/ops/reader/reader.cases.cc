#include "millrace/ops/database/lmdb_file.cases.h"
#include "tests/cases/case.h"

namespace millrace::cases {
namespace {

const char kGone[] = "/tmp/millrace_cases/there_is_none";

std::string Op(const CaseList& c, const std::string& name) {
  return c.op().name.ends_with("V2") ? name + "V2" : name;
}

// Adds a reader that reads a file with this content to its end and beyond.
Case& Reads(CaseList& c, const std::string& name, const std::string& reader,
            const std::string& content, AttrMap attrs = {}) {
  // The content is always the same, since other processes may run the same
  // case.
  const std::string file = "/tmp/millrace_cases/" + c.op().name + "/" + name;
  return c.Sequence(name)
      .Node("write", "WriteFile", {StrScalar(file), StrScalar(content)})
      .Node("q", Op(c, "FIFOQueue"), {},
            {{"component_types", TypeList{kString}},
             {"shapes", ShapeList{PartialShape({})}}})
      .Node("files", Op(c, "QueueEnqueueMany"), {"q", Str({file, file})})
      .Node("gone", Op(c, "QueueEnqueueMany"), {"q", Str({kGone, file})})
      .Node("close", Op(c, "QueueClose"), {"q"})
      .Node("r", Op(c, reader), {}, std::move(attrs))
      .Node("read", Op(c, "ReaderRead"), {"r", "q"})
      .Node("some", Op(c, "ReaderReadUpTo"), {"r", "q", Scalar(kInt64, 2)})
      .Node("records", Op(c, "ReaderNumRecordsProduced"), {"r"})
      .Node("units", Op(c, "ReaderNumWorkUnitsCompleted"), {"r"})
      .Node("save", Op(c, "ReaderSerializeState"), {"r"})
      .Node("restore", Op(c, "ReaderRestoreState"),
            {"r", StrScalar("\x08\x02\x10\x02\x18\x09")})
      .Node("broken", Op(c, "ReaderRestoreState"), {"r", StrScalar("\xff")})
      .Node("uneven", Op(c, "ReaderRestoreState"),
            {"r", StrScalar("\x08\x03\x10\x02\x18\x09")})
      .Node("reset", Op(c, "ReaderReset"), {"r"})
      .Run({"write"})
      .Run({"files"});
}

void Lines(CaseList& c) {
  const std::string reader = "TextLineReader";
  const std::string text = "one\r\ntwo\n\nfo\rur\r\r\n\r";
  Reads(c, "lines", reader, text)
      .Run({"close"})
      .Run({"read"})
      .Run({"read"})
      .Run({"read"})
      .Run({"read"})
      .Run({"records"})
      .Run({"units"})
      .Run({"some"})
      .Run({"some"})
      .Run({"units"})
      .RunError({"read"}, StatusCode::kOutOfRange,
                "is closed and has insufficient elements (requested 1, current "
                "size 0)")
      .RunError({"some"}, StatusCode::kOutOfRange, "insufficient elements")
      .Run({"records"})
      .RunError({"save"}, StatusCode::kUnimplemented, "Reader SerializeState")
      .RunError({"restore"}, StatusCode::kUnimplemented, "Reader RestoreState")
      .Run({"reset"})
      .Run({"records"})
      .Run({"units"});
  Reads(c, "header", reader, text, {{"skip_header_lines", 2}})
      .Run({"read"})
      .Run({"read"})
      .Run({"read"});
  Reads(c, "all header", reader, "one\n", {{"skip_header_lines", 2}})
      .Run({"close"})
      .RunError({"read"}, StatusCode::kOutOfRange, "insufficient elements");
  Reads(c, "gone", reader, text)
      .Run({"some"})
      .Run({"some"})
      .Run({"some"})
      .Run({"some"})
      .Run({"gone"})
      .RunError({"read"}, StatusCode::kNotFound, kGone)
      .Run({"read"});
}

Case& FixedReads(CaseList& c, const std::string& name,
                 const std::string& content, AttrMap attrs) {
  Case& s =
      Reads(c, name, "FixedLengthRecordReader", content, std::move(attrs));
  if (!c.op().name.ends_with("V2")) {
    s.NoStock("stock's kernel wants an attribute that only V2 has");
  }
  return s;
}

void Fixed(CaseList& c) {
  const std::string text = "HH0123456789abcdefFFF";
  for (const int hop : {0, 2, 7}) {
    Case& s = FixedReads(c, "hop " + std::to_string(hop), text,
                         {{"header_bytes", 2},
                          {"record_bytes", 4},
                          {"footer_bytes", 3},
                          {"hop_bytes", hop}});
    s.Run({"close"}).Run({"read"}).Run({"some"}).Run({"units"}).Run({"some"});
    if (hop != 7) s.Run({"some"}).Run({"records"});
  }
  FixedReads(c, "cut off", "01234567890", {{"record_bytes", 4}})
      .Run({"some"})
      .Run({"some"})
      .Run({"units"});
}

void Whole(CaseList& c, const std::string& reader) {
  Reads(c, reader, reader, "the whole\nfile")
      .Run({"close"})
      .Run({"save"})
      .Run({"read"})
      .Run({"units"})
      .Run({"save"})
      .Run({"some"})
      .RunError({"read"}, StatusCode::kOutOfRange, "insufficient elements")
      .Run({"save"})
      .Run({"restore"})
      .Run({"save"})
      .Run({"records"})
      .Run({"units"})
      .RunError({"broken"}, kInvalid, "Could not parse state for ")
      .Run({"records"})
      .Run({"reset"})
      .Run({"save"});
}

void Records(CaseList& c) {
  const std::string record("\3\0\0\0\0\0\0\0\0\0\0\0abc\0\0\0\0", 19);
  Reads(c, "bad checksum", "TFRecordReader", record)
      .RunError({"read"}, StatusCode::kDataLoss, "corrupted record at 0");
  Reads(c, "header cut off", "TFRecordReader", "abc")
      .Run({"close"})
      .RunError({"read"}, StatusCode::kOutOfRange, "insufficient elements");
  Reads(c, "empty", "TFRecordReader", "")
      .Run({"close"})
      .RunError({"read"}, StatusCode::kOutOfRange, "insufficient elements");
}

void LmdbRecords(CaseList& c) {
  const std::string database =
      SmallLmdb({{"a", "1"}, {"b", ""}, {"c", std::string(900, 'x')}});
  Reads(c, "database", "LMDBReader", database)
      .Run({"close"})
      .Run({"read"})
      .Run({"some"})
      .Run({"some"})
      .Run({"read"})
      .Run({"records"})
      .Run({"units"})
      .RunError({"save"}, StatusCode::kUnimplemented, "SerializeState")
      .NoStock(kNoLmdb);
  Reads(c, "no database", "LMDBReader", "text")
      .RunError({"read"}, kInvalid, "MDB_INVALID")
      .NoStock(kNoLmdb);
}

enum class Amount { kOne, kSeveral };

// The queue must hold single strings.
void WrongQueues(CaseList& c, Amount amount) {
  Case& s = c.Sequence("wrong queue");
  s.Node("q", Op(c, "FIFOQueue"), {}, {{"component_types", TypeList{kInt64}}})
      .Node("put", Op(c, "QueueEnqueue"), {"q", I64({})})
      .Node("r", Op(c, "IdentityReader"), {});
  if (amount == Amount::kSeveral) {
    s.Node("op", c.op().name, {"r", "q", Scalar(kInt64, 2)});
  } else {
    s.Node("op", c.op().name, {"r", "q"});
  }
  s.Run({"put"}).RunError({"op"}, kInvalid, "");
}

}  // namespace

MR_CASES(TextLineReader)(CaseList& c) { Lines(c); }
MR_CASES(TextLineReaderV2)(CaseList& c) { Lines(c); }
MR_CASES(FixedLengthRecordReader)(CaseList& c) { Fixed(c); }
MR_CASES(FixedLengthRecordReaderV2)(CaseList& c) { Fixed(c); }
MR_CASES(TFRecordReader)(CaseList& c) { Records(c); }
MR_CASES(TFRecordReaderV2)(CaseList& c) { Records(c); }
MR_CASES(LMDBReader)(CaseList& c) { LmdbRecords(c); }
MR_CASES(WholeFileReader)(CaseList& c) { Whole(c, "WholeFileReader"); }
MR_CASES(WholeFileReaderV2)(CaseList& c) { Whole(c, "WholeFileReader"); }
MR_CASES(IdentityReader)(CaseList& c) { Whole(c, "IdentityReader"); }
MR_CASES(IdentityReaderV2)(CaseList& c) { Whole(c, "IdentityReader"); }
MR_CASES(ReaderRead)(CaseList& c) { WrongQueues(c, Amount::kOne); }
MR_CASES(ReaderReadV2)(CaseList& c) { WrongQueues(c, Amount::kOne); }
MR_CASES(ReaderReadUpTo)(CaseList& c) { WrongQueues(c, Amount::kSeveral); }
MR_CASES(ReaderReadUpToV2)(CaseList& c) { WrongQueues(c, Amount::kSeveral); }
MR_CASES(ReaderNumRecordsProduced)(CaseList& c) { Lines(c); }
MR_CASES(ReaderNumRecordsProducedV2)(CaseList& c) { Lines(c); }
MR_CASES(ReaderNumWorkUnitsCompleted)(CaseList& c) { Lines(c); }
MR_CASES(ReaderNumWorkUnitsCompletedV2)(CaseList& c) { Lines(c); }
MR_CASES(ReaderSerializeState)(CaseList& c) { Whole(c, "WholeFileReader"); }
MR_CASES(ReaderSerializeStateV2)(CaseList& c) { Whole(c, "WholeFileReader"); }
MR_CASES(ReaderRestoreState)(CaseList& c) { Whole(c, "IdentityReader"); }
MR_CASES(ReaderRestoreStateV2)(CaseList& c) { Whole(c, "IdentityReader"); }
MR_CASES(ReaderReset)(CaseList& c) { Lines(c); }
MR_CASES(ReaderResetV2)(CaseList& c) { Lines(c); }

}  // namespace millrace::cases
