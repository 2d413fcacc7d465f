#include <algorithm>

#include "millrace/graph/attr/attr_text.h"
#include "millrace/graph/graph.h"

namespace millrace {
namespace {

bool SameNode(const NodeDef& a, const NodeDef& b) {
  return a.name == b.name && a.op == b.op && a.inputs == b.inputs &&
         a.device == b.device && a.attrs == b.attrs;
}

// The order of a map's entries on the wire is undefined.
using Renames = std::vector<std::pair<std::string, std::string>>;
bool SameMap(Renames a, Renames b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return a == b;
}

// Returns whether signature and body are equal.
bool SameFunction(const FunctionDef& a, const FunctionDef& b) {
  return SummarizeOp(a.signature) == SummarizeOp(b.signature) &&
         a.signature.control_outputs == b.signature.control_outputs &&
         std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(),
                    b.nodes.end(), SameNode) &&
         SameMap(a.ret, b.ret) && SameMap(a.control_ret, b.control_ret) &&
         a.attrs == b.attrs;
}

}  // namespace

struct FunctionLibrary::Contents {
  std::vector<std::shared_ptr<const FunctionDef>> functions;
  absl::flat_hash_map<std::string, std::shared_ptr<const FunctionDef>> by_name;
  std::vector<GradientDef> gradients;
  absl::flat_hash_map<std::string, std::string> gradient_of;
};

FunctionLibrary::FunctionLibrary() = default;
FunctionLibrary::~FunctionLibrary() = default;

FunctionLibrary::Contents& FunctionLibrary::Mutable() {
  if (!contents_) {
    contents_ = std::make_shared<Contents>();
  } else if (contents_.use_count() != 1) {
    contents_ = std::make_shared<Contents>(*contents_);
  }
  return const_cast<Contents&>(*contents_);
}

Status FunctionLibrary::Add(FunctionDef function) {
  const std::string name = function.signature.name;
  if (name.empty()) return InvalidArgument("Function without a name");
  if (const FunctionDef* existing = Find(name)) {
    if (SameFunction(*existing, function)) return OkStatus();
    return InvalidArgument(
        "Cannot add function '", name,
        "' because a different function with the same name already exists.");
  }
  auto shared = std::make_shared<const FunctionDef>(std::move(function));
  Contents& c = Mutable();
  c.functions.push_back(shared);
  c.by_name.emplace(name, std::move(shared));
  return OkStatus();
}

Status FunctionLibrary::AddGradient(GradientDef gradient) {
  if (const std::string* existing = FindGradient(gradient.function_name)) {
    if (*existing == gradient.gradient_func) return OkStatus();
    return InvalidArgument(
        "Cannot assign gradient function '", gradient.gradient_func, "' to '",
        gradient.function_name, "' because it already has gradient function '",
        *existing, "'");
  }
  Contents& c = Mutable();
  c.gradient_of.emplace(gradient.function_name, gradient.gradient_func);
  c.gradients.push_back(std::move(gradient));
  return OkStatus();
}

Status FunctionLibrary::AddLibrary(const FunctionLibraryDef& def) {
  FunctionLibrary grown = *this;
  for (const FunctionDef& f : def.functions) MR_RETURN_IF_ERROR(grown.Add(f));
  for (const GradientDef& g : def.gradients)
    MR_RETURN_IF_ERROR(grown.AddGradient(g));
  *this = std::move(grown);
  return OkStatus();
}

const FunctionDef* FunctionLibrary::Find(absl::string_view name) const {
  if (!contents_) return nullptr;
  auto it = contents_->by_name.find(name);
  return it == contents_->by_name.end() ? nullptr : it->second.get();
}

std::shared_ptr<const FunctionDef> FunctionLibrary::FindShared(
    absl::string_view name) const {
  if (!contents_) return nullptr;
  auto it = contents_->by_name.find(name);
  return it == contents_->by_name.end() ? nullptr : it->second;
}

const std::string* FunctionLibrary::FindGradient(
    absl::string_view function) const {
  if (!contents_) return nullptr;
  auto it = contents_->gradient_of.find(function);
  return it == contents_->gradient_of.end() ? nullptr : &it->second;
}

FunctionLibraryDef FunctionLibrary::ToDef() const {
  FunctionLibraryDef def;
  if (!contents_) return def;
  for (const auto& f : contents_->functions) def.functions.push_back(*f);
  def.gradients = contents_->gradients;
  return def;
}

bool FunctionLibrary::empty() const {
  return !contents_ || contents_->functions.empty();
}

}  // namespace millrace
