// Rooms: graph ops.op
// Any bytes as a GraphDef, imported with the real schemas, its shapes inferred,
// exported again. The first byte chooses: bytes of the message, or a graph
// whose ops, attributes and edges the bytes choose, which gets deeper.
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "millrace/base/check.h"
#include "millrace/graph/all_ops.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/graph/import.h"
#include "millrace/graph/shape_refiner.h"
#include "millrace/graph/verifier.h"

namespace {

using namespace millrace;

const OpRegistry& Ops() {
  static const OpRegistry* const ops = OpRegistry::Build(AllOps())->release();
  return *ops;
}

// A source of small choices; zeros once the bytes are used up.
class Choices {
 public:
  Choices(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  bool done() const { return at_ == end_; }
  uint8_t Byte() { return done() ? 0 : *at_++; }
  size_t Below(size_t n) { return n == 0 ? 0 : Byte() % n; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

PartialShape ShapeOf(Choices& c) {
  const size_t rank = c.Below(6);
  if (rank == 5) return PartialShape();
  std::vector<int64_t> dims;
  for (size_t i = 0; i < rank; ++i)
    dims.push_back(static_cast<int64_t>(c.Below(6)) - 1);
  return PartialShape(dims);
}

DataType TypeOf(Choices& c) {
  return static_cast<DataType>(1 + c.Below(kDataTypeLimit - 1));
}

Tensor TensorOf(Choices& c) {
  static constexpr int64_t kNumbers[] = {0,  1, 2,       3,         -1,
                                         -2, 7, 1 << 30, INT64_MAX, INT64_MIN};
  const int64_t n = static_cast<int64_t>(c.Below(4));
  const TensorShape shape = c.Below(4) == 0 ? TensorShape() : TensorShape({n});
  const bool narrow = c.Below(2) == 0;
  Tensor t = Tensor::Zeros(narrow ? DataType::kInt32 : DataType::kInt64, shape);
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    const int64_t v = kNumbers[c.Below(std::size(kNumbers))];
    if (narrow) {
      t.mutable_flat<int32_t>()[i] = static_cast<int32_t>(v);
    } else {
      t.mutable_flat<int64_t>()[i] = v;
    }
  }
  return t;
}

AttrValue ValueFor(const AttrDef& attr, const Tensor& tensor, Choices& c) {
  const auto* types = attr.allowed.get<AttrValue::TypeList>();
  const auto* texts = attr.allowed.get<AttrValue::StringList>();
  const auto type = [&] {
    if (attr.name == "dtype" && c.Below(2) == 0) return tensor.dtype();
    return types != nullptr ? (*types)[c.Below(types->size())] : TypeOf(c);
  };
  const auto number = [&] { return static_cast<int64_t>(c.Below(8)) - 2; };
  if (attr.kind == "type") return type();
  if (attr.kind == "string" && texts != nullptr)
    return (*texts)[c.Below(texts->size())];
  if (attr.kind == "string") return std::string(c.Below(3), 'x');
  if (attr.kind == "int") return number();
  if (attr.kind == "bool") return c.Below(2) == 1;
  if (attr.kind == "float") return 0.5f * static_cast<float>(number());
  if (attr.kind == "shape") return ShapeOf(c);
  if (attr.kind == "tensor") return tensor;
  if (attr.kind == "func") return NameAttrList{c.Below(2) == 0 ? "f" : "g", {}};
  const size_t n = c.Below(4);
  if (attr.kind == "list(type)") {
    AttrValue::TypeList list;
    for (size_t i = 0; i < n; ++i) list.push_back(type());
    return list;
  }
  if (attr.kind == "list(shape)") {
    AttrValue::ShapeList list;
    for (size_t i = 0; i < n; ++i) list.push_back(ShapeOf(c));
    return list;
  }
  if (attr.kind == "list(int)") {
    AttrValue::IntList list;
    for (size_t i = 0; i < n; ++i) list.push_back(number());
    return list;
  }
  return AttrValue::EmptyList();
}

// Adds nodes whose inputs fit, so that shape functions are reached.
void Build(Choices& c, Graph* graph) {
  const auto ops = Ops().ops();
  graph->versions().producer = 1;  // old enough for ops that were removed
  std::vector<OutputRef> outputs;
  while (!c.done() && graph->num_ids() < 64) {
    const OpDef& op = *ops[(c.Byte() * 256u + c.Byte()) % ops.size()];
    const Tensor tensor = TensorOf(c);
    AttrMap attrs;
    for (const AttrDef& attr : op.attrs) {
      if (!attr.default_value || c.Below(2) == 0)
        attrs.Set(attr.name, ValueFor(attr, tensor, c));
    }
    AttrMap complete = attrs;
    if (!CompleteAttrs(op, &complete).ok()) continue;
    const auto types = ArgTypes(op.inputs, complete);
    if (!types.ok()) continue;
    std::vector<OutputRef> inputs;
    for (DataType t : *types) {
      std::vector<OutputRef> fitting;
      for (const OutputRef& o : outputs) {
        if (CanFeed(graph->node(o.node)->output_types[o.port], t))
          fitting.push_back(o);
      }
      if (fitting.empty()) break;
      inputs.push_back(fitting[c.Below(fitting.size())]);
    }
    auto node = graph->AddNode(absl::StrCat("n", graph->num_ids()), op.name,
                               inputs, attrs);
    if (!node.ok()) continue;
    for (int i = 0; i < (*node)->num_outputs() && i < 8; ++i)
      outputs.push_back({(*node)->id, i});
  }
}

void Check(const Graph& graph) {
  Status status = VerifyGraph(graph, GraphStage::kBuilt);
  MR_CHECK(status.ok(), status.message());
  ShapeRefiner refiner(&graph);
  (void)refiner.AddNewNodes();
  const std::string bytes = SerializeGraphDef(ExportGraphDef(graph));
  auto again = ParseGraphDef(bytes);
  MR_CHECK(again.ok(), again.status().message());
  Graph copy(&Ops());
  status = ImportGraphDef({}, *again, &copy);
  MR_CHECK(status.ok(), status.message());
  MR_CHECK(copy.num_nodes() == graph.num_nodes());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  Graph graph(&Ops());
  if (data[0] % 2 == 0) {
    const auto def = ParseGraphDef(
        absl::string_view(reinterpret_cast<const char*>(data) + 1, size - 1));
    if (!def.ok() || !ImportGraphDef({}, *def, &graph).ok()) return 0;
  } else {
    Choices choices(data + 1, size - 1);
    Build(choices, &graph);
  }
  Check(graph);
  return 0;
}
