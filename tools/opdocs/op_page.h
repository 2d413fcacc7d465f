// The reference page of an op family, as Markdown.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/op_registry.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace::opdocs {

struct OpFacts {
  const OpDef* op = nullptr;
  bool has_gradient = false;
  bool is_flat = false;  // declared to have no gradient
};

// Returns "MatMul(a: T, b: T) -> (product: T)".
std::string SignatureText(const OpDef& op);
// Returns the allowed values of an attribute: "type in {float, double}", "int
// >= 1".
std::string AttrText(const AttrDef& attr);

// Returns the page of a family. Internal ops ("_X") are left out.
std::string FamilyPage(absl::string_view family,
                       const std::vector<OpFacts>& ops,
                       const KernelTable& kernels);

}  // namespace millrace::opdocs
