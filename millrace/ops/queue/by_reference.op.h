// ByReference: makes schemas of the first generation of ops on resources, whose
// handles are references [container, name], from those of the second, whose
// handles are resources.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "millrace/graph/op_decl.h"

namespace millrace::ops {

// The text kFields.*kText with the resource in it replaced by a reference.
template <const OpFields& kFields, auto kText>
struct ReferenceText {
  static constexpr std::string_view kResource = "resource";
  static constexpr std::string_view kReference = "Ref(string)";
  static constexpr std::string_view kFrom = kFields.*kText;
  static constexpr size_t kAt = kFrom.find(kResource);
  static constexpr bool kIsAny = kAt != std::string_view::npos;

  static consteval auto Replace() {
    std::array<char, kFrom.size() - kResource.size() + kReference.size() + 1>
        to{};
    auto end = std::ranges::copy(kFrom.substr(0, kAt), to.begin()).out;
    end = std::ranges::copy(kReference, end).out;
    std::ranges::copy(kFrom.substr(kAt + kResource.size()), end);
    return to;
  }
};
template <const OpFields& kFields, auto kText>
inline constexpr auto kReferenceText = ReferenceText<kFields, kText>::Replace();

// Returns the schema of the op whose second generation is kFields. An op that
// uses a resource counts as stateless; one that makes it is stateful in both
// generations. `shape` is the shape function of the first generation, if it
// differs.
template <const OpFields& kFields>
consteval OpFields ByReference(ShapeFunction shape = kFields.shape) {
  OpFields fields = kFields;
  fields.shape = shape;
  if constexpr (ReferenceText<kFields, &OpFields::inputs>::kIsAny) {
    fields.inputs = kReferenceText<kFields, &OpFields::inputs>.data();
    fields.flags &= ~uint32_t{kStateful};
  } else {
    fields.outputs = kReferenceText<kFields, &OpFields::outputs>.data();
  }
  return fields;
}

}  // namespace millrace::ops
