// AttrValue: the value of a node's attribute, as plain data.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/status.h"
#include "millrace/tensor/tensor.h"

namespace millrace {

class AttrValue;

// The attributes of a node, sorted by name. Takes eight bytes: copies share
// their entries until one of them changes, since the nodes of a graph with a
// million nodes have few different sets. Different threads may use different
// copies; changing one is for one thread.
class AttrMap {
 public:
  using Entry = std::pair<std::string, AttrValue>;

  AttrMap();
  AttrMap(std::initializer_list<Entry> entries);
  AttrMap(const AttrMap& o);
  AttrMap(AttrMap&& o) noexcept;
  AttrMap& operator=(AttrMap o) noexcept;
  ~AttrMap();

  // Returns null if there is no attribute of that name.
  const AttrValue* Find(absl::string_view name) const;
  // Adds or replaces an attribute.
  void Set(absl::string_view name, AttrValue value);
  bool Erase(absl::string_view name);

  size_t size() const;
  bool empty() const;
  const Entry* begin() const;
  const Entry* end() const;

  // Returns an address that is equal for maps that share their entries; null
  // for empty ones.
  const void* identity() const;
  bool IsShared() const;

  friend bool operator==(const AttrMap& a, const AttrMap& b);

 private:
  struct Entries;
  std::vector<Entry>& Mutable();  // unshared
  Ref<Entries> entries_;          // complete only in attr_map.cc
};

// A function (or op) by name, with attributes of its own.
struct NameAttrList {
  std::string name;
  AttrMap attrs;
  friend bool operator==(const NameAttrList& a, const NameAttrList& b);
};

// In a function body, stands for the caller's attribute of that name.
struct AttrPlaceholder {
  std::string name;
  friend bool operator==(const AttrPlaceholder& a,
                         const AttrPlaceholder& b) = default;
};

// The shapes of a data set's elements, and an attribute beside them with the
// error of those that are none. CompleteAttrs returns that, or removes it where
// nobody reads the shapes.
inline constexpr absl::string_view kElementShapesAttr = "output_shapes";
inline constexpr absl::string_view kUnfitShapesAttr = "_unfit_output_shapes";

class AttrValue {
 public:
  using Func = std::shared_ptr<const NameAttrList>;
  using StringList = std::vector<std::string>;
  using IntList = std::vector<int64_t>;
  using FloatList = std::vector<float>;
  using BoolList = std::vector<bool>;
  using TypeList = std::vector<DataType>;
  using ShapeList = std::vector<PartialShape>;
  using TensorList = std::vector<Tensor>;
  using FuncList = std::vector<Func>;
  // An empty list has no kind in its encoding: it fits a list attribute of any
  // kind. CompleteAttrs replaces it by the empty list of the schema's kind.
  struct EmptyList {};
  using Value =
      std::variant<std::monostate, std::string, int64_t, float, bool, DataType,
                   PartialShape, Tensor, Func, AttrPlaceholder, EmptyList,
                   StringList, IntList, FloatList, BoolList, TypeList,
                   ShapeList, TensorList, FuncList>;

  // None of these is inline: nearly every source file includes this one, and
  // each would compile the variant's members anew.
  AttrValue();
  AttrValue(const AttrValue& o);
  AttrValue(AttrValue&& o) noexcept;
  AttrValue& operator=(const AttrValue& o);
  AttrValue& operator=(AttrValue&& o) noexcept;
  ~AttrValue();

  AttrValue(std::string v);        // NOLINT
  AttrValue(absl::string_view v);  // NOLINT
  AttrValue(const char* v);        // NOLINT
  AttrValue(int64_t v);            // NOLINT
  AttrValue(int v);                // NOLINT
  AttrValue(float v);              // NOLINT
  AttrValue(double v);             // NOLINT
  AttrValue(bool v);               // NOLINT
  AttrValue(DataType v);           // NOLINT
  AttrValue(PartialShape v);       // NOLINT
  AttrValue(TensorShape v);        // NOLINT
  AttrValue(Tensor v);             // NOLINT
  AttrValue(NameAttrList v);       // NOLINT
  AttrValue(Func v);               // NOLINT
  AttrValue(AttrPlaceholder v);    // NOLINT
  AttrValue(EmptyList v);          // NOLINT
  AttrValue(StringList v);         // NOLINT
  AttrValue(IntList v);            // NOLINT
  AttrValue(FloatList v);          // NOLINT
  AttrValue(BoolList v);           // NOLINT
  AttrValue(TypeList v);           // NOLINT
  AttrValue(ShapeList v);          // NOLINT
  AttrValue(TensorList v);         // NOLINT
  AttrValue(FuncList v);           // NOLINT

  // Returns the value if it is a T, otherwise null. An EmptyList is not a T;
  // see GetAttr.
  template <class T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }
  template <class T>
  T* get_mutable() {
    return std::get_if<T>(&value_);
  }
  const Value& value() const { return value_; }
  bool has_value() const { return value_.index() != 0; }
  bool is_list() const { return value_.index() >= 10; }
  // Returns the number of a list's elements; 0 if the value is not a list.
  int64_t list_size() const;

  // Returns the kind as a schema writes it: "int", "list(type)", ...; "list"
  // for an EmptyList, "placeholder", "" without a value.
  std::string kind() const;
  bool IsKind(absl::string_view kind) const;
  // Returns a short text for messages, as TensorFlow writes it: DT_FLOAT,
  // "text", [2,?].
  std::string DebugString() const;

  // Floats compare by their bits; empty lists of all kinds are equal.
  friend bool operator==(const AttrValue& a, const AttrValue& b);

 private:
  Value value_;
};

// Returns attribute `name` as a T: std::string, int64_t, int32_t (with a range
// check), float, bool, DataType, PartialShape, TensorShape (if fully known),
// Tensor, AttrValue::Func, a list of the values above as AttrValue has it, or
// std::vector<int32_t>. Returns NOT_FOUND "No attr named 'x'", or
// INVALID_ARGUMENT if the attribute has another kind or does not fit.
template <class T>
StatusOr<T> GetAttr(const AttrMap& attrs, absl::string_view name);

}  // namespace millrace
