// Implements the encoding functions of graph_proto.h. The same code traverses
// each message twice: first for the sizes of all its parts, then for the bytes.
#include <bit>
#include <vector>

#include "millrace/base/check.h"
#include "millrace/graph/graph_proto.h"
#include "millrace/tensor/wire.h"

namespace millrace {
namespace {

// Returns whether EncodeOneNumber takes the tensor.
bool IsOneNumber(const Tensor& t) {
  return IsPlain(t.dtype()) && t.num_elements() == 1 && !t.on_device();
}

// Returns 0 for a tensor that does not leave its process; it becomes an empty
// message.
size_t SizeOfTensor(const Tensor& t) {
  if (!t.valid() || IsRef(t.dtype())) return 0;
  if (IsOneNumber(t)) return EncodeOneNumber(t).size();
  return EncodedTensorSize(t, StringForm::kValues).value_or(0);
}

// Adds up sizes; the sizes of nested messages are kept in the order of their
// beginnings.
class Sizes {
 public:
  void Varint(uint32_t number, uint64_t v) {
    total_ += TagSize(number) + VarintSize(v);
  }
  void Float(uint32_t number, float) { total_ += TagSize(number) + 4; }
  void Bytes(uint32_t number, absl::string_view v) {
    AddBytes(number, v.size());
  }
  template <class Fields>
  void Message(uint32_t number, Fields fields) {
    const size_t at = sizes_.size();
    sizes_.push_back(0);
    const size_t before = total_;
    fields(*this);
    sizes_[at] = total_ - before;
    total_ = before;
    AddBytes(number, sizes_[at]);
  }
  void TensorMessage(uint32_t number, const Tensor& t) {
    sizes_.push_back(SizeOfTensor(t));
    AddBytes(number, sizes_.back());
  }
  const std::vector<size_t>& sizes() const { return sizes_; }

 private:
  static size_t TagSize(uint32_t number) {
    return VarintSize(uint64_t{number} << 3);
  }
  void AddBytes(uint32_t number, size_t size) {
    total_ += TagSize(number) + VarintSize(size) + size;
  }
  size_t total_ = 0;
  std::vector<size_t> sizes_;
};

class Writer {
 public:
  explicit Writer(const std::vector<size_t>& sizes) : sizes_(sizes) {}
  void Varint(uint32_t number, uint64_t v) {
    out_.Tag(number, WireType::kVarint);
    out_.Varint(v);
  }
  void Float(uint32_t number, float v) {
    out_.Tag(number, WireType::kFixed32);
    const uint32_t bits = std::bit_cast<uint32_t>(v);
    out_.Raw({reinterpret_cast<const char*>(&bits), sizeof(bits)});
  }
  void Bytes(uint32_t number, absl::string_view v) {
    out_.RequiredBytesField(number, v);
  }
  template <class Fields>
  void Message(uint32_t number, Fields fields) {
    out_.BytesHeader(number, sizes_[next_++]);
    fields(*this);
  }
  void TensorMessage(uint32_t number, const Tensor& t) {
    const size_t size = sizes_[next_++];
    out_.BytesHeader(number, size);
    if (size == 0) return;
    if (IsOneNumber(t)) {
      out_.Raw(EncodeOneNumber(t));
    } else {
      EncodeTensor(t, StringForm::kValues, &out_);
    }
  }
  ByteChunks Finish() && {
    MR_DCHECK(next_ == sizes_.size());
    return std::move(out_).Finish();
  }

 private:
  const std::vector<size_t>& sizes_;
  size_t next_ = 0;
  ChunkWriter out_;
};

template <class Fields>
ByteChunks Encode(Fields fields) {
  Sizes sizes;
  fields(sizes);
  Writer writer(sizes.sizes());
  fields(writer);
  return std::move(writer).Finish();
}

// Zero and empty fields are left out, as proto3 does.
template <class Sink>
void Int(Sink& s, uint32_t number, int64_t v) {
  if (v != 0) s.Varint(number, static_cast<uint64_t>(v));
}
template <class Sink>
void Text(Sink& s, uint32_t number, absl::string_view v) {
  if (!v.empty()) s.Bytes(number, v);
}
template <class Sink>
void Number(Sink& s, uint32_t number, DataType t) {
  Int(s, number, static_cast<int>(t));
}

template <class Sink>
void ShapeFields(Sink& s, const PartialShape& shape) {
  for (int64_t d : shape.dims()) {
    s.Message(2, [&](auto& dim) { Int(dim, 1, d); });
  }
  if (!shape.known_rank()) s.Varint(3, 1);
}

template <class Sink>
void AttrMapFields(Sink& s, uint32_t number, const AttrMap& attrs);

template <class Sink>
void FunctionFields(Sink& s, const AttrValue::Func& f) {
  if (!f) return;
  Text(s, 1, f->name);
  AttrMapFields(s, 2, f->attrs);
}

// Encodes the elements of a list; repeated numbers are written one by one,
// which every decoder accepts, too.
template <class Sink>
struct ListFields {
  Sink& s;
  void operator()(const AttrValue::StringList& list) const {
    for (const std::string& v : list) s.Bytes(2, v);
  }
  void operator()(const AttrValue::IntList& list) const {
    for (int64_t v : list) s.Varint(3, static_cast<uint64_t>(v));
  }
  void operator()(const AttrValue::FloatList& list) const {
    for (float v : list) s.Float(4, v);
  }
  void operator()(const AttrValue::BoolList& list) const {
    for (bool v : list) s.Varint(5, v);
  }
  void operator()(const AttrValue::TypeList& list) const {
    for (DataType v : list) s.Varint(6, static_cast<uint64_t>(v));
  }
  void operator()(const AttrValue::ShapeList& list) const {
    for (const PartialShape& v : list) {
      s.Message(7, [&](auto& m) { ShapeFields(m, v); });
    }
  }
  void operator()(const AttrValue::TensorList& list) const {
    for (const Tensor& v : list) s.TensorMessage(8, v);
  }
  void operator()(const AttrValue::FuncList& list) const {
    for (const AttrValue::Func& v : list) {
      s.Message(9, [&](auto& m) { FunctionFields(m, v); });
    }
  }
  template <class T>
  void operator()(const T&) const {}
};

// Fields of a oneof are written even when they are zero.
template <class Sink>
struct AttrFields {
  Sink& s;
  void operator()(std::monostate) const {}
  void operator()(const std::string& v) const { s.Bytes(2, v); }
  void operator()(int64_t v) const { s.Varint(3, static_cast<uint64_t>(v)); }
  void operator()(float v) const { s.Float(4, v); }
  void operator()(bool v) const { s.Varint(5, v); }
  void operator()(DataType v) const { s.Varint(6, static_cast<uint64_t>(v)); }
  void operator()(const PartialShape& v) const {
    s.Message(7, [&](auto& m) { ShapeFields(m, v); });
  }
  void operator()(const Tensor& v) const { s.TensorMessage(8, v); }
  void operator()(const AttrPlaceholder& v) const { s.Bytes(9, v.name); }
  void operator()(const AttrValue::Func& v) const {
    s.Message(10, [&](auto& m) { FunctionFields(m, v); });
  }
  template <class List>
  void operator()(const List& list) const {
    s.Message(1,
              [&](auto& m) { ListFields<std::decay_t<decltype(m)>>{m}(list); });
  }
};

template <class Sink>
void AttrValueFields(Sink& s, const AttrValue& value) {
  std::visit(AttrFields<Sink>{s}, value.value());
}

template <class Sink>
void AttrMapFields(Sink& s, uint32_t number, const AttrMap& attrs) {
  for (const auto& [name, value] : attrs) {
    s.Message(number, [&, &name = name, &value = value](auto& entry) {
      entry.Bytes(1, name);
      entry.Message(2, [&](auto& m) { AttrValueFields(m, value); });
    });
  }
}

template <class Sink>
void StringMapFields(
    Sink& s, uint32_t number,
    const std::vector<std::pair<std::string, std::string>>& map) {
  for (const auto& [key, value] : map) {
    s.Message(number, [&, &key = key, &value = value](auto& entry) {
      entry.Bytes(1, key);
      entry.Bytes(2, value);
    });
  }
}

template <class Sink>
void NodeFields(Sink& s, const NodeDef& node) {
  Text(s, 1, node.name);
  Text(s, 2, node.op);
  for (const std::string& input : node.inputs) s.Bytes(3, input);
  Text(s, 4, node.device);
  AttrMapFields(s, 5, node.attrs);
}

template <class Sink>
void ArgFields(Sink& s, const ArgDef& arg) {
  Text(s, 1, arg.name);
  Number(s, 3, arg.type);
  Text(s, 4, arg.type_attr);
  Text(s, 5, arg.number_attr);
  Text(s, 6, arg.type_list_attr);
  Int(s, 16, arg.is_ref);
}

template <class Sink>
void AttrDefFields(Sink& s, const AttrDef& attr) {
  Text(s, 1, attr.name);
  Text(s, 2, attr.kind);
  if (attr.default_value) {
    s.Message(3, [&](auto& m) { AttrValueFields(m, *attr.default_value); });
  }
  if (attr.minimum) {
    s.Varint(5, 1);
    Int(s, 6, *attr.minimum);
  }
  if (attr.allowed.has_value()) {
    s.Message(7, [&](auto& m) { AttrValueFields(m, attr.allowed); });
  }
}

template <class Sink>
void SchemaFields(Sink& s, const OpDef& op) {
  Text(s, 1, op.name);
  for (const ArgDef& a : op.inputs)
    s.Message(2, [&](auto& m) { ArgFields(m, a); });
  for (const ArgDef& a : op.outputs)
    s.Message(3, [&](auto& m) { ArgFields(m, a); });
  for (const AttrDef& a : op.attrs)
    s.Message(4, [&](auto& m) { AttrDefFields(m, a); });
  Text(s, 6, op.doc);
  if (op.deprecated_version != 0) {
    s.Message(8, [&](auto& m) {
      Int(m, 1, op.deprecated_version);
      Text(m, 2, op.deprecated_hint);
    });
  }
  Int(s, 16, op.Is(kAggregate));
  Int(s, 17, op.Is(kStateful));
  Int(s, 18, op.Is(kCommutative));
  Int(s, 19, op.Is(kAllowsUninitialized));
  for (const std::string& output : op.control_outputs) s.Bytes(20, output);
}

template <class Sink>
void FunctionDefFields(Sink& s, const FunctionDef& f) {
  s.Message(1, [&](auto& m) { SchemaFields(m, f.signature); });
  for (const NodeDef& n : f.nodes)
    s.Message(3, [&](auto& m) { NodeFields(m, n); });
  StringMapFields(s, 4, f.ret);
  AttrMapFields(s, 5, f.attrs);
  StringMapFields(s, 6, f.control_ret);
  for (const auto& [index, attrs] : f.arg_attrs) {
    s.Message(7, [&, index = index, &attrs = attrs](auto& entry) {
      entry.Varint(1, index);
      entry.Message(2, [&](auto& m) { AttrMapFields(m, 1, attrs); });
    });
  }
  for (const auto& [index, id] : f.resource_arg_ids) {
    s.Message(8, [index = index, id = id](auto& entry) {
      entry.Varint(1, index);
      entry.Varint(2, id);
    });
  }
}

template <class Sink>
void LibraryFields(Sink& s, const FunctionLibraryDef& library) {
  for (const FunctionDef& f : library.functions) {
    s.Message(1, [&](auto& m) { FunctionDefFields(m, f); });
  }
  for (const GradientDef& g : library.gradients) {
    s.Message(2, [&](auto& m) {
      Text(m, 1, g.function_name);
      Text(m, 2, g.gradient_func);
    });
  }
}

template <class Sink>
void GraphFields(Sink& s, const GraphDef& def) {
  for (const NodeDef& n : def.nodes)
    s.Message(1, [&](auto& m) { NodeFields(m, n); });
  if (!def.library.functions.empty() || !def.library.gradients.empty()) {
    s.Message(2, [&](auto& m) { LibraryFields(m, def.library); });
  }
  const VersionDef& v = def.versions;
  if (v.producer == 0 && v.min_consumer == 0 && v.bad_consumers.empty()) return;
  s.Message(4, [&](auto& m) {
    Int(m, 1, v.producer);
    Int(m, 2, v.min_consumer);
    for (int32_t bad : v.bad_consumers)
      m.Varint(3, static_cast<uint64_t>(int64_t{bad}));
  });
}

}  // namespace

ByteChunks EncodeGraphDef(const GraphDef& def) {
  return Encode([&](auto& s) { GraphFields(s, def); });
}
std::string SerializeGraphDef(const GraphDef& def) {
  return EncodeGraphDef(def).Flatten();
}
std::string SerializeAttrValue(const AttrValue& value) {
  return Encode([&](auto& s) { AttrValueFields(s, value); }).Flatten();
}

}  // namespace millrace
