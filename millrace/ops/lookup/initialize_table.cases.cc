#include "millrace/ops/lookup/tables.cases.h"

namespace millrace::cases {
namespace {

using namespace tables;

struct FileCase {
  std::string name, content;
  DataType key, value;
  int key_index, value_index;
  StatusCode code = StatusCode::kOk;
  std::string words = {};
  AttrMap attrs = {};
};

void File(CaseList& c, const FileCase& f) {
  // The content is always the same, since other processes may run the same
  // case.
  const std::string file = "/tmp/millrace_cases/" + c.op().name + "/" + f.name;
  AttrMap attrs = f.attrs;
  attrs.Set("key_index", f.key_index);
  attrs.Set("value_index", f.value_index);
  Case& s = c.Sequence(f.name);
  s.Node("write", "WriteFile", {StrScalar(file), StrScalar(f.content)})
      .Node("t", Op(c, "HashTable"), {},
            {{"key_dtype", f.key}, {"value_dtype", f.value}})
      .Node("op", c.op().name, {"t", StrScalar(file)}, attrs)
      .Node("size", Op(c, "LookupTableSize"), {"t"})
      .Node("find", Op(c, "LookupTableFind"),
            {"t",
             f.key == kString ? Str({"a", "b", "c d", "1", "2", ""})
                              : Vec(f.key, {0, 1, 2, 3, 5, 7}),
             f.value == kString ? StrScalar("-") : Scalar(f.value, -9)})
      .Run({"write"});
  if (f.code == StatusCode::kOk) {
    s.Run({"op"}).Run({"size"}).Run({"find"}).Run({"op"}).Run({"size"});
  } else {
    s.RunError({"op"}, f.code, f.words).Run({"size"});
  }
}

void Files(CaseList& c) {
  const auto with = [](const char* name, AttrValue value) {
    return AttrMap{{name, std::move(value)}};
  };
  constexpr auto kOk = StatusCode::kOk;
  constexpr auto kRange = StatusCode::kOutOfRange;
  File(c, {"vocabulary", "a\nb\nc d\n", kString, kInt64, -2, -1});
  File(c, {"no last feed", "a\r\nb\nc d\r", kString, kInt64, -2, -1});
  File(c, {"inverse", "a\nb\nc d\n", kInt64, kString, -1, -2});
  File(c,
       {"fields", "1\ta\t2.5\n2\tb\t-inf\n3\t\tnan\n", kInt64, kString, 0, 1});
  File(c, {"floats", "1\ta\t2.5\n2\tb\t-1e3\n", kString, kFloat, 1, 2});
  File(c, {"doubles", "1\ta\t2.5\n2\tb\t-1e3\n", kInt32, kDouble, 0, 2});
  File(c, {"comma", "1,a\n2,b,c\n", kInt32, kString, 0, 1, kOk, "",
           with("delimiter", std::string(","))});
  File(c, {"whole numbers", "1\n2\n5\n", kInt32, kInt32, -2, -2});
  File(c, {"offset", "a\nb\n", kString, kInt64, -2, -1, kOk, "",
           with("offset", 100)});
  File(c, {"offset of numbers", "1\ta\n2\tb\n", kInt32, kString, 0, 1, kOk, "",
           with("offset", 1)});
  File(c, {"some lines", "a\nb\nc d\n", kString, kInt64, -2, -1, kOk, "",
           with("vocab_size", 2)});
  File(c, {"all lines", "a\nb\nc d\n", kString, kInt64, -2, -1, kOk, "",
           with("vocab_size", 3)});
  File(c, {"too few lines", "a\nb\n", kString, kInt64, -2, -1, kInvalid,
           "Invalid vocab_size in ", with("vocab_size", 3)});
  File(c, {"no lines", "a\nb\n", kString, kInt64, -2, -1, kRange,
           "Finished reading 0 of lines from ", with("vocab_size", 0)});
  File(c, {"empty file", "", kString, kInt64, -2, -1, kRange,
           "Read less bytes than requested"});
  File(c, {"empty line", "a\n\nb\n", kString, kInt64, -2, -1, kInvalid,
           ": empty line found at position 3."});
  File(c, {"few columns", "1\ta\n2\n", kInt64, kString, 0, 1, kInvalid,
           " line 1 (2) : expected at least 2 got 1"});
  File(c, {"no number", "1\ta\nx\tb\n", kInt64, kString, 0, 1, kInvalid,
           "Field x in line 1 is not a valid int64."});
  File(c, {"too large", "1\ta\n3000000000\tb\n", kInt32, kString, 0, 1,
           kInvalid, "Field 3000000000 in line 1 is not a valid int32."});
  File(c, {"no float", "a\tb\n", kString, kFloat, 0, 1, kInvalid,
           "Field b in line 0 is not a valid float."});
  File(c, {"bool", "a\ttrue\n", kString, DataType::kBool, 0, 1, kInvalid,
           "Data type bool not supported."});
  File(c, {"conflict", "a\t1\na\t2\n", kString, kInt64, 0, 1,
           StatusCode::kFailedPrecondition,
           "HashTable has different value for same key. Key a has 1 and trying "
           "to add value 2"});
  File(c, {"equal lines", "a\t1\na\t1\nb\t2\n", kString, kInt64, 0, 1});
  File(c, {"number of a line", "a\n", kInt32, kInt32, -1, -2, kInvalid,
           "Key index for line number requires table key dtype of int64, got "
           "int32"});
  File(c, {"number as value", "a\n", kString, kInt32, -2, -1, kInvalid,
           "Value index for line number requires table value dtype of int64, "
           "got int32"});
  File(c, {"line as value", "a\n", kString, kFloat, -2, -2, kInvalid,
           "Value index for whole line requires table value dtype of integer "
           "or string, got float"});
  const AttrMap types = {{"key_dtype", kString}, {"value_dtype", kInt64}};
  const AttrMap indices = {{"key_index", -2}, {"value_index", -1}};
  const std::string gone = "/tmp/millrace_cases/there_is_none";
  c.Sequence("gone")
      .Node("t", Op(c, "HashTable"), {}, types)
      .Node("op", c.op().name, {"t", StrScalar(gone)}, indices)
      .Node("empty", c.op().name, {"t", StrScalar("")}, indices)
      .Node("two", c.op().name, {"t", Str({"a", "b"})}, indices)
      .RunError({"op"}, StatusCode::kNotFound, gone)
      .RunError({"empty"}, kInvalid, "filename cannot be empty.")
      .RunError({"two"}, kInvalid,
                "filename should be a single string, but got [2]");
  AttrMap long_delimiter = indices;
  long_delimiter.Set("delimiter", std::string("ab"));
  c.Sequence("delimiter")
      .Node("t", Op(c, "HashTable"), {}, types)
      .Node("op", c.op().name, {"t", StrScalar(gone)}, long_delimiter)
      .RunError({"op"}, kInvalid, "delimiter should be only 1 char");
}

}  // namespace

MR_CASES(InitializeTable)(CaseList& c) { Fills(c, "Tkey", "Tval"); }
MR_CASES(InitializeTableV2)(CaseList& c) { Fills(c, "Tkey", "Tval"); }
MR_CASES(InitializeTableFromTextFile)(CaseList& c) { Files(c); }
MR_CASES(InitializeTableFromTextFileV2)(CaseList& c) { Files(c); }

}  // namespace millrace::cases
