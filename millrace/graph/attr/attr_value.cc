#include "millrace/graph/attr/attr_value.h"

#include <bit>
#include <limits>
#include <type_traits>

#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/attr/int32_attr.h"

namespace millrace {
namespace {

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;

bool SameFloat(float a, float b) {
  return std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b);
}

bool SameFunc(const AttrValue::Func& a, const AttrValue::Func& b) {
  return a == b || (a && b && *a == *b);
}

struct Equal {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (std::is_same_v<T, std::monostate> ||
                  std::is_same_v<T, AttrValue::EmptyList>) {
      return true;
    } else if constexpr (std::is_same_v<T, float>) {
      return SameFloat(a, b);
    } else if constexpr (std::is_same_v<T, Tensor>) {
      return IdenticalTensors(a, b);
    } else if constexpr (std::is_same_v<T, AttrValue::Func>) {
      return SameFunc(a, b);
    } else if constexpr (std::is_same_v<T, AttrValue::FloatList> ||
                         std::is_same_v<T, AttrValue::TensorList> ||
                         std::is_same_v<T, AttrValue::FuncList>) {
      if (a.size() != b.size()) return false;
      for (size_t i = 0; i < a.size(); ++i) {
        if (!(*this)(a[i], b[i])) return false;
      }
      return true;
    } else {
      return a == b;
    }
  }
  template <class T, class U>
  bool operator()(const T&, const U&) const {
    return false;
  }
};

// Converts an attribute to a T: the stored type, the kind for messages, and the
// conversion.
template <class T>
struct As {
  using Stored = T;
  static StatusOr<T> Convert(absl::string_view, const T& v) { return v; }
};
template <>
struct As<int32_t> {
  using Stored = int64_t;
  static StatusOr<int32_t> Convert(absl::string_view name, int64_t v) {
    MR_RETURN_IF_ERROR(CheckInt32Attr(name, v));
    return static_cast<int32_t>(v);
  }
};
template <>
struct As<std::vector<int32_t>> {
  using Stored = AttrValue::IntList;
  static StatusOr<std::vector<int32_t>> Convert(absl::string_view name,
                                                const Stored& list) {
    std::vector<int32_t> out;
    out.reserve(list.size());
    for (int64_t v : list) {
      MR_RETURN_IF_ERROR(CheckInt32Attr(name, v));
      out.push_back(static_cast<int32_t>(v));
    }
    return out;
  }
};
template <>
struct As<TensorShape> {
  using Stored = PartialShape;
  static StatusOr<TensorShape> Convert(absl::string_view,
                                       const PartialShape& s) {
    return s.AsTensorShape();
  }
};

}  // namespace

AttrValue::AttrValue() = default;
AttrValue::AttrValue(const AttrValue& o) = default;
AttrValue::AttrValue(AttrValue&& o) noexcept = default;
AttrValue& AttrValue::operator=(const AttrValue& o) = default;
AttrValue& AttrValue::operator=(AttrValue&& o) noexcept = default;
AttrValue::~AttrValue() = default;

AttrValue::AttrValue(absl::string_view v) : value_(std::string(v)) {}
AttrValue::AttrValue(const char* v) : value_(std::string(v)) {}
AttrValue::AttrValue(int64_t v) : value_(v) {}
AttrValue::AttrValue(int v) : value_(static_cast<int64_t>(v)) {}
AttrValue::AttrValue(float v) : value_(v) {}
AttrValue::AttrValue(double v) : value_(static_cast<float>(v)) {}
AttrValue::AttrValue(bool v) : value_(v) {}
AttrValue::AttrValue(DataType v) : value_(v) {}
AttrValue::AttrValue(TensorShape v) : value_(PartialShape(v)) {}
AttrValue::AttrValue(NameAttrList v)
    : value_(std::make_shared<const NameAttrList>(std::move(v))) {}
AttrValue::AttrValue(EmptyList v) : value_(v) {}
AttrValue::AttrValue(std::string v) : value_(std::move(v)) {}
AttrValue::AttrValue(PartialShape v) : value_(std::move(v)) {}
AttrValue::AttrValue(Tensor v) : value_(std::move(v)) {}
AttrValue::AttrValue(Func v) : value_(std::move(v)) {}
AttrValue::AttrValue(AttrPlaceholder v) : value_(std::move(v)) {}
AttrValue::AttrValue(StringList v) : value_(std::move(v)) {}
AttrValue::AttrValue(IntList v) : value_(std::move(v)) {}
AttrValue::AttrValue(FloatList v) : value_(std::move(v)) {}
AttrValue::AttrValue(BoolList v) : value_(std::move(v)) {}
AttrValue::AttrValue(TypeList v) : value_(std::move(v)) {}
AttrValue::AttrValue(ShapeList v) : value_(std::move(v)) {}
AttrValue::AttrValue(TensorList v) : value_(std::move(v)) {}
AttrValue::AttrValue(FuncList v) : value_(std::move(v)) {}

bool operator==(const AttrValue& a, const AttrValue& b) {
  if (a.is_list() && b.is_list() && a.list_size() == 0 && b.list_size() == 0)
    return true;
  return std::visit(Equal(), a.value_, b.value_);
}

int64_t AttrValue::list_size() const {
  return std::visit(
      [](const auto& v) -> int64_t {
        if constexpr (kIsList<std::decay_t<decltype(v)>>) {
          return static_cast<int64_t>(v.size());
        } else {
          return 0;
        }
      },
      value_);
}

template <class T>
StatusOr<T> GetAttr(const AttrMap& attrs, absl::string_view name) {
  using Stored = typename As<T>::Stored;
  const AttrValue* value = attrs.Find(name);
  if (value == nullptr) return NotFound("No attr named '", name, "'");
  StatusOr<T> result = T();
  if (const Stored* stored = value->get<Stored>()) {
    result = As<T>::Convert(name, *stored);
  } else if (!(kIsList<T> && value->get<AttrValue::EmptyList>())) {
    result = WrongAttrKind(*value, AttrValue(Stored()).kind());
  }
  if (!result.ok())
    return Annotate(result.status(),
                    absl::StrCat("\n\t for attr '", name, "'"));
  return result;
}

#define MR_INSTANTIATE(...)                                           \
  template StatusOr<__VA_ARGS__> GetAttr<__VA_ARGS__>(const AttrMap&, \
                                                      absl::string_view)
MR_INSTANTIATE(std::string);
MR_INSTANTIATE(int64_t);
MR_INSTANTIATE(int32_t);
MR_INSTANTIATE(float);
MR_INSTANTIATE(bool);
MR_INSTANTIATE(DataType);
MR_INSTANTIATE(PartialShape);
MR_INSTANTIATE(TensorShape);
MR_INSTANTIATE(Tensor);
MR_INSTANTIATE(AttrValue::Func);
MR_INSTANTIATE(AttrValue::StringList);
MR_INSTANTIATE(AttrValue::IntList);
MR_INSTANTIATE(std::vector<int32_t>);
MR_INSTANTIATE(AttrValue::FloatList);
MR_INSTANTIATE(AttrValue::BoolList);
MR_INSTANTIATE(AttrValue::TypeList);
MR_INSTANTIATE(AttrValue::ShapeList);
MR_INSTANTIATE(AttrValue::TensorList);
MR_INSTANTIATE(AttrValue::FuncList);
#undef MR_INSTANTIATE

}  // namespace millrace
