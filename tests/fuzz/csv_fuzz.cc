// Rooms: client session ops.grad ops.cpu ops.gpu ops.op
// Any bytes as lines of CSV: an error, or fields that are no longer than the
// line; fields that are written with quotes come back; and the kernel makes
// numbers of them or says that they are none. The first byte chooses.
#include <cstdint>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "millrace/ops/io/csv.h"
#include "tests/fuzz/local_graph.h"
#include "tests/fuzz/seeds.h"

namespace {

using namespace millrace;

void Split(absl::string_view line, const ops::CsvOptions& options) {
  ops::CsvSplitter splitter(options);
  // Nothing of a line before is left over.
  splitter.Split("\"le\"\"ft\",over").IgnoreError();
  const auto fields = splitter.Split(line);
  MR_CHECK(fields.ok() ||
           fields.status().code() == StatusCode::kInvalidArgument);
  if (!fields.ok()) return;
  size_t bytes = 0;
  for (const absl::string_view field : *fields) bytes += field.size();
  MR_CHECK(bytes <= line.size() && fields->size() <= line.size() + 1);
  MR_CHECK(options.columns.empty() || fields->size() <= options.columns.size());
}

// The pieces of the bytes, each in quotes.
void WriteAndSplit(absl::string_view bytes) {
  const std::vector<std::string> fields = absl::StrSplit(bytes, '\0');
  std::string line;
  for (const std::string& field : fields) {
    absl::StrAppend(&line, line.empty() ? "\"" : ",\"",
                    absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
  }
  const ops::CsvOptions options;
  ops::CsvSplitter splitter(options);
  const auto again = splitter.Split(line);
  MR_CHECK(again.ok() && std::equal(again->begin(), again->end(),
                                    fields.begin(), fields.end()));
}

LocalGraph& Decoder() {
  static LocalGraph* const graph = [] {
    GraphDef def;
    def.nodes = {
        {"lines", "Placeholder", {}, "", {{"dtype", DataType::kString}}}};
    NodeDef decode = {"decode", "DecodeCSV", {"lines"}, "", {}};
    AttrValue::TypeList types;
    for (const DataType type :
         {DataType::kFloat, DataType::kInt32, DataType::kInt64,
          DataType::kDouble, DataType::kString}) {
      const std::string name = absl::StrCat("default", types.size());
      def.nodes.push_back(
          {name,
           "Const",
           {},
           "",
           {{"dtype", type}, {"value", Tensor::Zeros(type, {1})}}});
      decode.inputs.push_back(name);
      types.push_back(type);
    }
    decode.attrs.Set("OUT_TYPE", types);
    def.nodes.push_back(decode);
    return new LocalGraph(def);
  }();
  return *graph;
}

void Decode(absl::string_view bytes) {
  const std::vector<std::string> lines = absl::StrSplit(bytes, '\0');
  const auto got = Decoder().Run(
      {{"lines", Tensor::Vector<std::string>(absl::MakeConstSpan(lines))}},
      {"decode:0", "decode:1", "decode:2", "decode:3", "decode:4"});
  CheckRefusal(got.status());
  if (!got.ok()) return;
  for (const Tensor& t : *got) {
    MR_CHECK(t.num_elements() == static_cast<int64_t>(lines.size()));
  }
}

}  // namespace

std::vector<std::string> millrace::FuzzSeeds() {
  return {std::string("\0a,\"b \"\"c\"\" d\",,1.5\n", 21),
          "\1a;\"b\";c",
          "\2x,y,\"nested \"\"\"\" quotes\"",
          std::string("\3one\0t\"w\"o\0", 12),
          std::string("\3\"\"\"", 4),
          "\4"
          "1.5,7,-9223372036854775808,1e308,text",
          "\4"
          "1e39,2147483648,9223372036854775808,1e309,\"\"",
          std::string("\4,,,,\0"
                      "1,2,3,4,5",
                      15)};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                                size - 1);
  ops::CsvOptions plain;
  switch (data[0] % 5) {
    case 0:
      Split(bytes, {});
      break;
    case 1:
      plain.delimiter = ';';
      plain.quotes = false;
      Split(bytes, plain);
      break;
    case 2:
      Split(bytes, {.columns = {1, 2, 5}});
      break;
    case 3:
      WriteAndSplit(bytes);
      break;
    default:
      Decode(bytes);
  }
  return 0;
}
