// ByReference, ByStrings: make schemas of earlier generations of ops on
// resources, whose handles are references [container, name] or the two strings
// themselves, from those of the generation whose handles are resources.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "millrace/graph/op_decl.h"

namespace millrace::ops {

inline constexpr std::string_view kReferenceHandle = "Ref(string)";
inline constexpr std::string_view kStringsHandle = "string";

// The text kFields.*kText with the resource in it replaced by kTo.
template <const OpFields& kFields, auto kText, const std::string_view& kTo>
struct HandleText {
  static constexpr std::string_view kResource = "resource";
  static constexpr std::string_view kFrom = kFields.*kText;
  static constexpr size_t kAt = kFrom.find(kResource);
  static constexpr bool kIsAny = kAt != std::string_view::npos;

  static consteval auto Replace() {
    std::array<char, kFrom.size() - kResource.size() + kTo.size() + 1> to{};
    auto end = std::ranges::copy(kFrom.substr(0, kAt), to.begin()).out;
    end = std::ranges::copy(kTo, end).out;
    std::ranges::copy(kFrom.substr(kAt + kResource.size()), end);
    return to;
  }
};
template <const OpFields& kFields, auto kText, const std::string_view& kTo>
inline constexpr auto kHandleText = HandleText<kFields, kText, kTo>::Replace();

template <const OpFields& kFields, const std::string_view& kTo>
consteval OpFields WithHandle(ShapeFunction shape) {
  OpFields fields = kFields;
  fields.shape = shape;
  if constexpr (HandleText<kFields, &OpFields::inputs, kTo>::kIsAny) {
    fields.inputs = kHandleText<kFields, &OpFields::inputs, kTo>.data();
    fields.flags &= ~uint32_t{kStateful};
  } else {
    fields.outputs = kHandleText<kFields, &OpFields::outputs, kTo>.data();
  }
  return fields;
}

// Returns the schema of the op whose second generation is kFields. An op that
// uses a resource counts as stateless; one that makes it is stateful in both
// generations. `shape` is the shape function of the first generation, if it
// differs.
template <const OpFields& kFields>
consteval OpFields ByReference(ShapeFunction shape = kFields.shape) {
  return WithHandle<kFields, kReferenceHandle>(shape);
}

// Does the same for a generation whose handles are strings, not references. The
// inputs do not show that the op changes what the strings name, so it says that
// it stays.
template <const OpFields& kFields>
consteval OpFields ByStrings(ShapeFunction shape = kFields.shape) {
  OpFields fields = WithHandle<kFields, kStringsHandle>(shape);
  fields.flags |= kChecks;
  return fields;
}

// Returns the fields of an op that graphs from this version on may not have.
consteval OpFields Until(int version, const char* hint, OpFields fields) {
  fields.deprecated_version = version;
  fields.deprecated_hint = hint;
  return fields;
}

}  // namespace millrace::ops
