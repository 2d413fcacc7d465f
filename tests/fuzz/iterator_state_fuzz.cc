// Rooms: client session ops.grad ops.cpu ops.gpu ops.op
// A saved state of an iterator, changed and sent as a message, restored to an
// iterator over the same data set or another one: refused, or an iterator that
// gives elements, errors or an end. The bytes choose the data sets, how far the
// first one has gone, and the changes. A state that is not changed continues as
// the iterator that was saved.
#include <cstdint>
#include <limits>
#include <map>

#include "millrace/tensor/variant/iterator_state_value.h"
#include "millrace/tensor/wire.h"
#include "tests/fuzz/local_graph.h"
#include "tests/fuzz/seeds.h"

namespace {

using namespace millrace;

class Choice {
 public:
  Choice(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  int64_t Below(int64_t n) { return at_ == end_ ? 0 : *at_++ % n; }
  bool done() const { return at_ == end_; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

// Numbers, at any depth: batches are made and taken apart again.
AttrMap Elements() {
  return {{"output_types", AttrValue::TypeList{DataType::kInt64}},
          {"output_shapes", AttrValue::ShapeList{PartialShape()}}};
}
AttrMap Calls(const char* attr, const char* function) {
  AttrMap attrs = Elements();
  attrs.Set(attr, NameAttrList{function, {}});
  attrs.Set("Targuments", AttrValue::TypeList());
  return attrs;
}
NodeDef Constant(const std::string& name, const Tensor& value) {
  return {name, "Const", {}, "", {{"dtype", value.dtype()}, {"value", value}}};
}

// A function whose arguments and result have these types.
FunctionDef Function(const char* name, std::vector<DataType> args,
                     std::vector<NodeDef> nodes, DataType type,
                     const char* result) {
  FunctionDef f;
  f.signature.name = name;
  for (const DataType arg : args) {
    f.signature.inputs.push_back(
        {.name = absl::StrCat("x", f.signature.inputs.size()), .type = arg});
  }
  f.signature.outputs = {{.name = "y", .type = type}};
  f.nodes = std::move(nodes);
  f.ret = {{"y", result}};
  return f;
}

FunctionLibraryDef Functions() {
  constexpr DataType kInt = DataType::kInt64, kSet = DataType::kVariant;
  const AttrMap numbers = {{"T", kInt}};
  FunctionLibraryDef library;
  library.functions = {
      Function("twice", {kInt}, {{"s", "AddV2", {"x0", "x0"}, "", numbers}},
               kInt, "s:z:0"),
      Function("yes", {kInt}, {Constant("c", Tensor::Scalar<bool>(true))},
               DataType::kBool, "c:output:0"),
      // The element three times.
      Function("thrice", {kInt},
               {{"one",
                 "TensorDataset",
                 {"x0"},
                 "",
                 {{"Toutput_types", AttrValue::TypeList{kInt}},
                  {"output_shapes", AttrValue::ShapeList{PartialShape()}}}},
                Constant("n", Tensor::Scalar<int64_t>(3)),
                {"all",
                 "RepeatDataset",
                 {"one:handle:0", "n:output:0"},
                 "",
                 Elements()}},
               kSet, "all:handle:0"),
      Function("key", {kInt}, {Constant("c", Tensor::Scalar<int64_t>(7))}, kInt,
               "c:output:0"),
      Function("size", {kInt}, {Constant("c", Tensor::Scalar<int64_t>(2))},
               kInt, "c:output:0"),
      Function("same", {kInt, kSet}, {}, kSet, "x1"),
  };
  FunctionDef scan = Function("scan", {kInt, kInt}, {}, kInt, "x1");
  scan.signature.outputs.push_back({.name = "z", .type = kInt});
  scan.ret.emplace_back("z", "x0");
  library.functions.push_back(std::move(scan));
  return library;
}

class Builder {
 public:
  explicit Builder(Choice& choice) : choice_(choice) {
    def_.library = Functions();
  }

  // A data set; its node's name.
  std::string Dataset() {
    std::string at =
        Add("RangeDataset", {Number(0), Number(choice_.Below(9)), Number(1)});
    for (int64_t n = choice_.Below(4); n > 0; --n) at = Above(at);
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
            std::vector<std::string> inputs, AttrMap attrs = {}) {
    def_.nodes.push_back({name, op, std::move(inputs), "", std::move(attrs)});
  }
  const GraphDef& def() const { return def_; }

 private:
  std::string Above(const std::string& at) {
    const auto number = [this](int64_t least, int64_t most) {
      return Number(least + choice_.Below(most - least + 1));
    };
    switch (choice_.Below(22)) {
      case 0:
        return Add("ShuffleDataset",
                   {at, number(1, 5), number(0, 2), Number(1)},
                   // Later passes would draw from where the data set's own
                   // numbers are.
                   {{"reshuffle_each_iteration", false}});
      case 1:
        return Add("RepeatDataset", {at, number(0, 3)});
      case 2:
        return Add("TakeDataset", {at, number(0, 5)});
      case 3:
        return Add("SkipDataset", {at, number(0, 5)});
      case 4:
        return Add("BatchDataset", {at, number(1, 3)});
      case 5:
        return Add("PrefetchDataset", {at, number(1, 3)});
      case 6:
        return Add("CacheDataset", {at, Constant(Tensor::Scalar(""))});
      case 7:
        return Add("ConcatenateDataset", {at, at});
      case 8:
        return Add("UnbatchDataset", {Add("BatchDataset", {at, number(1, 3)})});
      case 9:
        return Add("ShardDataset", {at, Number(2), number(0, 1)});
      case 10:
        return Add("ShuffleAndRepeatDataset",
                   {at, number(1, 5), Number(3), Number(1), number(1, 3)},
                   {{"reshuffle_each_iteration", false}});
      case 11:
        return Call("MapDataset", "f", "twice", {at});
      case 12:
        return Call("ParallelMapDatasetV2", "f", "twice", {at, number(1, 4)});
      case 13:
        return Call("FilterDataset", "predicate", "yes", {at});
      case 14:
        return Call("FlatMapDataset", "f", "thrice", {at});
      case 15:
        return Call("InterleaveDataset", "f", "thrice",
                    {at, number(1, 3), number(1, 2)});
      case 16:
        return Call("ParallelInterleaveDatasetV2", "f", "thrice",
                    {at, Number(2), number(1, 2), Number(2)});
      case 17:
        return Groups(at);
      case 18: {
        AttrMap attrs = Calls("f", "scan");
        attrs.Set("Tstate", AttrValue::TypeList{DataType::kInt64});
        return Add("ScanDataset", {at, Number(1)}, std::move(attrs));
      }
      case 19:
        return Add("SlidingWindowDataset",
                   {at, number(1, 3), number(1, 3), number(1, 2)});
      case 20:
        return Add("RebatchDataset",
                   {Add("BatchDataset", {at, number(1, 4)}), number(1, 3)});
      default:
        return Add(
            "DirectedInterleaveDataset",
            {Add("RangeDataset", {Number(0), Number(2), Number(1)}), at, at},
            {{"N", int64_t{2}}});
    }
  }

  std::string Groups(const std::string& at) {
    AttrMap attrs = Elements();
    for (const auto& [attr, function] :
         std::map<std::string, std::string>{{"key_func", "key"},
                                            {"reduce_func", "same"},
                                            {"window_size_func", "size"}}) {
      attrs.Set(attr, NameAttrList{function, {}});
      attrs.Set("T" + attr + "_other_arguments", AttrValue::TypeList());
    }
    return Add("GroupByWindowDataset", {at}, std::move(attrs));
  }
  std::string Call(const char* op, const char* attr, const char* function,
                   std::vector<std::string> inputs) {
    return Add(op, std::move(inputs), Calls(attr, function));
  }
  std::string Constant(const Tensor& value) {
    const std::string name = absl::StrCat("n", def_.nodes.size());
    def_.nodes.push_back(::Constant(name, value));
    return name;
  }
  std::string Number(int64_t value) {
    return Constant(Tensor::Scalar<int64_t>(value));
  }
  std::string Add(const char* op, std::vector<std::string> inputs,
                  AttrMap more = {}) {
    const std::string name = absl::StrCat("n", def_.nodes.size());
    AttrMap attrs = Elements();
    for (const auto& [attr, value] : more) attrs.Set(attr, value);
    def_.nodes.push_back({name, op, std::move(inputs), "", attrs});
    return name;
  }

  Choice& choice_;
  GraphDef def_;
};

Tensor OddTensor(Choice& choice) {
  constexpr int64_t kNumbers[] = {0,
                                  1,
                                  2,
                                  3,
                                  -1,
                                  1000,
                                  int64_t{1} << 40,
                                  int64_t{1} << 60,
                                  (int64_t{1} << 60) + 1,
                                  std::numeric_limits<int64_t>::max(),
                                  std::numeric_limits<int64_t>::min()};
  constexpr int64_t kCount = std::size(kNumbers);
  const int64_t kind = choice.Below(kCount + 4);
  if (kind < kCount) return Tensor::Scalar<int64_t>(kNumbers[kind]);
  if (kind == kCount) return Tensor::Scalar<float>(1);
  if (kind == kCount + 1) return Tensor::Vector<int64_t>({1, 2, 3});
  if (kind == kCount + 2) return Tensor::Scalar("x");
  return Tensor::Zeros(DataType::kInt64, TensorShape({0, 3}));
}

// Changes the state as the rest of the bytes say: what a key has, which keys
// there are.
VariantElement Changed(const IteratorStateValue& state, Choice& choice) {
  std::map<std::string, Tensor> map;
  for (size_t i = 0; i < state.keys().size(); ++i) {
    map[state.keys()[i]] = state.tensors()[i];
  }
  while (!choice.done() && !map.empty()) {
    const auto pick = [&] {
      const int64_t n = choice.Below(256) % static_cast<int64_t>(map.size());
      return std::next(map.begin(), n);
    };
    const auto at = pick();
    switch (choice.Below(4)) {
      case 0:
        map.erase(at);
        break;
      case 1:
        at->second = pick()->second;
        break;
      case 2:
        map[at->first + "0"] = OddTensor(choice);
        break;
      default:
        at->second = OddTensor(choice);
    }
  }
  return *IteratorStateValue::Make(std::move(map));
}

}  // namespace

std::vector<std::string> millrace::FuzzSeeds() {
  // The size of the range, the number of steps over it, each with its kind and
  // numbers; whether the other iterator has the same data set, else twice; how
  // many elements are taken before; changes.
  std::vector<std::string> seeds;
  for (char kind = 0; kind < 22; ++kind) {
    seeds.push_back(std::string{8, 1, kind, 2, 1, 1, 1, 0, 3});
    for (char key = 0; key < 12; ++key) {
      for (const char odd : {4, 7, 9, 12}) {
        seeds.push_back(
            std::string{8, 2, kind, 2, 1, 1, 5, 2, 0, 3, key, 3, odd});
      }
    }
  }
  // States of other data sets.
  seeds.push_back({8, 1, 0, 3, 1, 1, 8, 1, 0, 3, 1, 2});
  seeds.push_back({8, 2, 4, 1, 1, 3, 1, 8, 1, 2, 5, 3});
  seeds.push_back({8, 3, 7, 5, 1, 0, 2, 2, 2, 8, 1, 7, 4});
  return seeds;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Choice choice(data, size);
  Builder builder(choice);
  const std::string one = builder.Dataset();
  const std::string other = choice.Below(3) == 0 ? one : builder.Dataset();
  builder.Iterator("a", one);
  builder.Iterator("b", other);
  builder.Node("save", "SerializeIterator", {"a"});
  builder.Node("state", "Placeholder", {}, {{"dtype", DataType::kVariant}});
  builder.Node("restore", "DeserializeIterator", {"b", "state"});
  LocalGraph graph(builder.def());
  const Status made = graph.Run({}, {}, {"a_make", "b_make"}).status();
  CheckRefusal(made);
  if (!made.ok()) return 0;
  for (int64_t n = choice.Below(12); n > 0; --n) {
    CheckRefusal(graph.Run({}, {"a_next"}).status());
  }
  const auto saved = graph.Run({}, {"save"});
  CheckRefusal(saved.status());
  if (!saved.ok()) return 0;
  const bool is_changed = !choice.done();
  const auto& state = dynamic_cast<const IteratorStateValue&>(
      *(*saved)[0].flat<VariantElement>()[0]);
  const StatusOr<ByteChunks> message =
      EncodeTensor(Tensor::Vector<VariantElement>({Changed(state, choice)}));
  MR_CHECK(message.ok(), message.status().message());
  const StatusOr<Tensor> sent =
      DecodeTensor(ChunkReader(*message), HostAllocator());
  MR_CHECK(sent.ok(), sent.status().message());
  const Status restored =
      graph.Run({{"state", *sent}}, {}, {"restore"}).status();
  CheckRefusal(restored);
  MR_CHECK(restored.ok() || is_changed || one != other, restored.message());
  for (int i = 0; i < 20; ++i) {
    const auto next = graph.Run({}, {"b_next"});
    CheckRefusal(next.status());
    // Where both are one data set it goes on where the other one was.
    if (!restored.ok() || one != other || is_changed) continue;
    const auto same = graph.Run({}, {"a_next"});
    MR_CHECK(same.status().code() == next.status().code());
    MR_CHECK(!same.ok() || IdenticalTensors((*same)[0], (*next)[0]));
  }
  return 0;
}
