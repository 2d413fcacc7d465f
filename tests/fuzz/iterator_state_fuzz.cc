// Rooms: client session ops.grad ops.cpu ops.gpu ops.op
// The saved state of an iterator over one data set, restored to an iterator
// over another one: refused, or an iterator that gives elements or ends. The
// bytes choose the data sets, and how far the first one has gone. (There is no
// way to bring a state of any bytes: it is a variant that does not come over
// the wire.)
#include <cstdint>

#include "tests/fuzz/local_graph.h"
#include "tests/fuzz/seeds.h"

namespace {

using namespace millrace;

class Choice {
 public:
  Choice(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  int64_t Below(int64_t n) { return at_ == end_ ? 0 : *at_++ % n; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

// Scalars, at any depth: batches are made and taken apart again.
AttrMap Elements() {
  return {{"output_types", AttrValue::TypeList{DataType::kInt64}},
          {"output_shapes", AttrValue::ShapeList{PartialShape()}}};
}

class Builder {
 public:
  explicit Builder(Choice& choice) : choice_(choice) {}

  // A data set; its node's name.
  std::string Dataset() {
    std::string at =
        Add("RangeDataset", {Number(0), Number(choice_.Below(9)), Number(1)});
    for (int64_t n = choice_.Below(4); n > 0; --n) {
      switch (choice_.Below(8)) {
        case 0:
          at = Add("ShuffleDataset", {at, Number(1 + choice_.Below(5)),
                                      Number(choice_.Below(3)), Number(1)});
          break;
        case 1:
          at = Add("RepeatDataset", {at, Number(choice_.Below(4))});
          break;
        case 2:
          at = Add("TakeDataset", {at, Number(choice_.Below(6))});
          break;
        case 3:
          at = Add("SkipDataset", {at, Number(choice_.Below(6))});
          break;
        case 4:
          at = Add("BatchDataset", {at, Number(1 + choice_.Below(3))});
          break;
        case 5:
          at = Add("PrefetchDataset", {at, Number(1 + choice_.Below(3))});
          break;
        case 6:
          at = Add("CacheDataset", {at, Text("")});
          break;
        default:
          at = Add("ConcatenateDataset", {at, at});
      }
    }
    return at;
  }
  // An iterator over it: NAME, NAME_make and NAME_next.
  void Iterator(const std::string& name, const std::string& dataset) {
    AttrMap attrs = Elements();
    attrs.Set("shared_name", name);
    attrs.Set("container", "");
    def_.nodes.push_back({name, "IteratorV2", {}, "", attrs});
    def_.nodes.push_back(
        {name + "_make", "MakeIterator", {dataset, name}, "", {}});
    def_.nodes.push_back(
        {name + "_next", "IteratorGetNext", {name}, "", Elements()});
  }
  void Node(const std::string& name, const std::string& op,
            std::vector<std::string> inputs) {
    def_.nodes.push_back({name, op, std::move(inputs), "", {}});
  }
  const GraphDef& def() const { return def_; }

 private:
  std::string Constant(const Tensor& value) {
    const std::string name = absl::StrCat("n", def_.nodes.size());
    def_.nodes.push_back(
        {name, "Const", {}, "", {{"dtype", value.dtype()}, {"value", value}}});
    return name;
  }
  std::string Number(int64_t value) {
    return Constant(Tensor::Scalar<int64_t>(value));
  }
  std::string Text(const char* value) {
    return Constant(Tensor::Scalar(value));
  }
  std::string Add(const char* op, std::vector<std::string> inputs) {
    const std::string name = absl::StrCat("n", def_.nodes.size());
    AttrMap attrs = Elements();
    // Later passes would draw from where the data set's own numbers are.
    if (absl::string_view(op) == "ShuffleDataset")
      attrs.Set("reshuffle_each_iteration", false);
    def_.nodes.push_back({name, op, std::move(inputs), "", attrs});
    return name;
  }

  Choice& choice_;
  GraphDef def_;
};

}  // namespace

std::vector<std::string> millrace::FuzzSeeds() {
  // The size of the range, the number of steps over it, each with its kind and
  // numbers; twice; and how many elements are taken before.
  return {std::string("\x08\x01\x00\x03\x01\x08\x01\x00\x03\x01\x02", 11),
          std::string("\x08\x02\x04\x01\x01\x03\x08\x01\x02\x05\x03", 11),
          std::string("\x05\x01\x06\x08\x01\x05\x02\x01", 8),
          std::string("\x08\x03\x07\x05\x01\x00\x02\x02\x08\x01\x07\x04", 12)};
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Choice choice(data, size);
  Builder builder(choice);
  const std::string one = builder.Dataset();
  const std::string other = choice.Below(3) == 0 ? one : builder.Dataset();
  builder.Iterator("a", one);
  builder.Iterator("b", other);
  builder.Node("save", "SerializeIterator", {"a"});
  builder.Node("restore", "DeserializeIterator", {"b", "save"});
  LocalGraph graph(builder.def());
  const Status made = graph.Run({}, {}, {"a_make", "b_make"}).status();
  CheckRefusal(made);
  if (!made.ok()) return 0;
  for (int64_t n = choice.Below(12); n > 0; --n) {
    CheckRefusal(graph.Run({}, {"a_next"}).status());
  }
  const Status restored = graph.Run({}, {}, {"restore"}).status();
  CheckRefusal(restored);
  for (int i = 0; i < 20; ++i) {
    const auto next = graph.Run({}, {"b_next"});
    CheckRefusal(next.status());
    // Where both are one data set it goes on where the other one was.
    if (!restored.ok() || one != other) continue;
    const auto same = graph.Run({}, {"a_next"});
    MR_CHECK(same.status().code() == next.status().code());
    MR_CHECK(!same.ok() || IdenticalTensors((*same)[0], (*next)[0]));
  }
  return 0;
}
