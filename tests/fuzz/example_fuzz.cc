// Rooms: client session ops.grad ops.cpu ops.gpu ops.op
// Any bytes, cut at zeros, as the Examples that a step parses, into features of
// every form and type: an error, or columns that agree with each other.

#include <cstdint>

#include "absl/strings/str_split.h"
#include "millrace/base/coding.h"
#include "tests/fuzz/local_graph.h"
#include "tests/fuzz/seeds.h"

namespace {

using namespace millrace;

constexpr DataType kTypes[] = {DataType::kInt64, DataType::kFloat,
                               DataType::kString};

// "parse": sparse features "a", "b", "c" of the three types, dense ones "d" to
// "f" of two values, "g" of any number, ragged ones "h" to "j".
LocalGraph& Examples() {
  static LocalGraph* const graph = [] {
    GraphDef def;
    def.nodes = {
        {"bytes", "Placeholder", {}, "", {{"dtype", DataType::kString}}}};
    const auto constant = [&](const char* name, const Tensor& value) {
      def.nodes.push_back({name,
                           "Const",
                           {},
                           "",
                           {{"dtype", value.dtype()}, {"value", value}}});
    };
    constant("names", Tensor::Zeros(DataType::kString, {0}));
    constant("sparse", Tensor::Vector<std::string>({"a", "b", "c"}));
    constant("dense", Tensor::Vector<std::string>({"d", "e", "f", "g"}));
    constant("ragged", Tensor::Vector<std::string>({"h", "i", "j"}));
    constant("d", Tensor::Zeros(DataType::kInt64, {2}));
    constant("e", Tensor::Zeros(DataType::kFloat, {2}));
    constant("f", Tensor::Zeros(DataType::kString, {0}));
    constant("g", Tensor::Zeros(DataType::kInt64, {}));
    const AttrValue::TypeList types = {kTypes[0], kTypes[1], kTypes[2]};
    const AttrValue::TypeList dense = {kTypes[0], kTypes[1], kTypes[2],
                                       kTypes[0]};
    const AttrValue::TypeList splits = {DataType::kInt64, DataType::kInt32,
                                        DataType::kInt64};
    const AttrValue::ShapeList shapes = {PartialShape({2}), PartialShape({2}),
                                         PartialShape({2}),
                                         PartialShape({kUnknownDim})};
    def.nodes.push_back(
        {"parse",
         "ParseExampleV2",
         {"bytes", "names", "sparse", "dense", "ragged", "d", "e", "f", "g"},
         "",
         {{"Tdense", dense},
          {"num_sparse", int64_t{3}},
          {"sparse_types", types},
          {"ragged_value_types", types},
          {"ragged_split_types", splits},
          {"dense_shapes", shapes}}});
    return new LocalGraph(def);
  }();
  return *graph;
}

void Parse(absl::string_view bytes) {
  const std::vector<std::string> messages = absl::StrSplit(bytes, '\0');
  const auto rows = static_cast<int64_t>(messages.size());
  const Tensor fed = Tensor::Vector<std::string>(absl::MakeConstSpan(messages));
  std::vector<std::string> fetches;
  for (int i = 0; i < 19; ++i) fetches.push_back(absl::StrCat("parse:", i));
  const auto got = Examples().Run({{"bytes", fed}}, fetches);
  CheckRefusal(got.status());
  if (!got.ok()) return;
  for (size_t i = 0; i < 3; ++i) {
    const Tensor& indices = (*got)[i];
    const Tensor& values = (*got)[3 + i];
    const auto shape = (*got)[6 + i].flat<int64_t>();
    MR_CHECK(values.dtype() == kTypes[i] && indices.dim(1) == 2);
    MR_CHECK(indices.dim(0) == values.num_elements() && shape[0] == rows);
    const auto at = indices.flat<int64_t>();
    for (size_t n = 0; n < at.size(); n += 2) {
      MR_CHECK(at[n] >= 0 && at[n] < rows);
      MR_CHECK(at[n + 1] >= 0 && at[n + 1] < shape[1]);
    }
    MR_CHECK((*got)[9 + i].num_elements() == 2 * rows);
    const Tensor& splits = (*got)[16 + i];
    MR_CHECK(splits.num_elements() == rows + 1);
    const int64_t last = splits.dtype() == DataType::kInt32
                             ? splits.flat<int32_t>().back()
                             : splits.flat<int64_t>().back();
    MR_CHECK(last == (*got)[13 + i].num_elements());
  }
  MR_CHECK((*got)[12].dim(0) == rows);
}

// Messages made by hand: a field with a length in front of its bytes.
std::string Field(int number, const std::string& bytes) {
  std::string out(1, static_cast<char>(number << 3 | 2));
  PutVarint64(&out, bytes.size());
  return out + bytes;
}
std::string Entry(const std::string& key, int kind, const std::string& list) {
  return Field(1, Field(1, key) + Field(2, Field(kind, list)));
}
std::string ExampleOf(const std::string& entries) { return Field(1, entries); }

}  // namespace

std::vector<std::string> millrace::FuzzSeeds() {
  const std::string ints = Field(1, "\x01\x02\xff\x01");
  const std::string floats = Field(1, "aaaabbbb");
  const std::string texts = Field(1, "one") + Field(1, "two");
  const std::string dense =
      Entry("d", 3, ints) + Entry("e", 2, floats) + Entry("f", 1, texts);
  return {ExampleOf(dense),
          ExampleOf(dense + Entry("a", 3, ints) + Entry("b", 2, floats) +
                    Entry("c", 1, texts) + Entry("g", 3, ints)),
          ExampleOf(dense + Entry("h", 3, ints) + Entry("i", 2, floats) +
                    Entry("j", 1, texts)) +
              '\0' + ExampleOf(dense + Entry("h", 3, "")),
          ExampleOf(Entry("f", 1, texts) + Entry("a", 2, floats)),
          ExampleOf(dense + Entry("a", 3, Field(1, std::string(12, '\xff'))))};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Parse(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
