// Attributes of OddValues.
#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "tests/fuzz/ops/odd_values.h"

namespace millrace::fuzz {
namespace {

constexpr float kOddFloats[] = {
    0,
    -0.0f,
    1,
    -1,
    0.5f,
    1e-38f,
    1e-45f,
    1e38f,
    std::numeric_limits<float>::max(),
    std::numeric_limits<float>::infinity(),
    -std::numeric_limits<float>::infinity(),
    std::numeric_limits<float>::quiet_NaN(),
};

// Whether the attribute says how many inputs or outputs there are.
bool IsLength(const OpDef& op, absl::string_view attr) {
  const auto says = [attr](const ArgDef& arg) {
    return arg.number_attr == attr || arg.type_list_attr == attr;
  };
  return std::any_of(op.inputs.begin(), op.inputs.end(), says) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), says);
}

template <class T>
AttrValue ListOf(const std::vector<AttrValue>& elements) {
  std::vector<T> list;
  for (const AttrValue& e : elements) {
    if (const T* value = e.get<T>()) list.push_back(*value);
  }
  return list;
}

}  // namespace

DataType OddValues::Type(const AttrDef& attr) {
  const auto any = [this] {
    return static_cast<DataType>(1 + Below(kDataTypeLimit - 1));
  };
  if (OneIn(12)) return any();
  const auto rows = material_.suite->kernels.Rows("CPU", op_.def->name);
  const auto* types = rows.empty() ? nullptr : OneOf(rows).Types(attr.name);
  if (types == nullptr) types = attr.allowed.get<AttrValue::TypeList>();
  return types == nullptr || types->empty() ? any() : OneOf(*types);
}

PartialShape OddValues::DeclaredShape() {
  switch (Below(6)) {
    case 0:
      return PartialShape();
    case 1:
      return Shape();
    case 2:
      return base_;
    case 3: {
      PartialShape shape = base_;
      if (shape.rank() > 0)
        shape.set_dim(
            static_cast<int>(Below(static_cast<uint64_t>(shape.rank()))),
            kUnknownDim);
      return shape;
    }
    default: {
      DimVector dims(Below(5));
      for (int64_t& size : dims) size = Int();
      StatusOr<PartialShape> shape = PartialShape::Make(dims);
      return shape.ok() ? *shape : PartialShape({0, kUnknownDim});
    }
  }
}

AttrValue OddValues::Element(const AttrDef& attr, absl::string_view kind) {
  if (kind == "type") return Type(attr);
  if (kind == "string") {
    const auto* allowed = attr.allowed.get<AttrValue::StringList>();
    if (allowed != nullptr && !allowed->empty() && !OneIn(20))
      return OneOf(*allowed);
    return Text();
  }
  if (kind == "int") return Int();
  if (kind == "float") return OneOf(kOddFloats);
  if (kind == "bool") return OneIn(2);
  if (kind == "shape") return DeclaredShape();
  if (kind == "tensor") return Of(DataType::kFloat);
  if (kind == "func") return NameAttrList{OneIn(2) ? "" : "no_function", {}};
  return AttrValue::EmptyList();
}

AttrValue OddValues::List(const AttrDef& attr) {
  absl::string_view kind = attr.kind;
  absl::ConsumePrefix(&kind, "list(");
  absl::ConsumeSuffix(&kind, ")");
  static constexpr uint64_t kLengths[] = {0, 1, 1, 2, 2, 3, 4, 5, 30};
  uint64_t length = OneOf(kLengths);
  if (OneIn(60)) length = 300;
  if (length < 2 && attr.minimum.value_or(0) > 1 && !OneIn(4))
    length = static_cast<uint64_t>(std::min<int64_t>(*attr.minimum, 8));
  if (length == 0) return AttrValue::EmptyList();
  std::vector<AttrValue> elements;
  for (uint64_t i = 0; i < length; ++i) elements.push_back(Element(attr, kind));
  if (kind == "type") return ListOf<DataType>(elements);
  if (kind == "string") return ListOf<std::string>(elements);
  if (kind == "int") return ListOf<int64_t>(elements);
  if (kind == "float") return ListOf<float>(elements);
  if (kind == "bool") return ListOf<bool>(elements);
  if (kind == "shape") return ListOf<PartialShape>(elements);
  if (kind == "tensor") return ListOf<Tensor>(elements);
  if (kind == "func") return ListOf<AttrValue::Func>(elements);
  return AttrValue::EmptyList();
}

AttrValue OddValues::Attr(const AttrDef& attr) {
  if (OneIn(100)) return OneIn(2) ? AttrValue(Int()) : AttrValue(Text());
  if (absl::StartsWith(attr.kind, "list(")) return List(attr);
  if (attr.kind == "int" && IsLength(*op_.def, attr.name)) {
    static constexpr int64_t kNumbers[] = {1, 1, 2, 2, 2, 3, 3, 5, 40};
    if (OneIn(12)) return OneIn(2) ? int64_t{0} : int64_t{-1};
    return OneIn(60) ? int64_t{1000} : OneOf(kNumbers);
  }
  return Element(attr, attr.kind);
}

}  // namespace millrace::fuzz
