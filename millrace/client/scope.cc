#include "millrace/client/scope.h"

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "millrace/client/colocation.h"
#include "millrace/client/default_tables.h"

namespace millrace {
Scope Scope::NewRoot() { return NewRoot(DefaultOps()); }

Scope Scope::NewRoot(const OpRegistry& ops) {
  return Scope(MakeRef<ClientGraph>(ops));
}

Scope::Scope(Ref<ClientGraph> graph) : graph_(std::move(graph)) {}

Scope Scope::SubScope(absl::string_view name) const {
  Scope scope = *this;
  scope.op_name_.clear();
  const bool valid = prefix_.empty() && !name.empty() ? IsValidNodeName(name)
                                                      : IsValidScopeName(name);
  if (!valid) {
    Fail(InvalidArgument("'", name, "' is not a valid scope name"), name);
    return scope;
  }
  if (name.empty()) {
    scope.prefix_.clear();
  } else if (absl::EndsWith(name, "/")) {
    scope.prefix_ = std::string(name);
  } else {
    scope.prefix_ =
        absl::StrCat(graph_->UniqueName(absl::StrCat(prefix_, name)), "/");
  }
  return scope;
}

Scope Scope::WithOpName(absl::string_view name) const {
  Scope scope = *this;
  scope.op_name_ = std::string(name);
  return scope;
}

std::string Scope::TakeOpName(absl::string_view op) const {
  if (absl::EndsWith(op_name_, "/"))
    return op_name_.substr(0, op_name_.size() - 1);
  const absl::string_view base = op_name_.empty() ? op : op_name_;
  if (!IsValidScopeName(base) || (prefix_.empty() && !IsValidNodeName(base))) {
    Fail(InvalidArgument("'", base, "' is not a valid node name"), base);
    return "";
  }
  return graph_->UniqueName(absl::StrCat(prefix_, base));
}

Scope Scope::BlockFor(absl::string_view function) const {
  if (absl::EndsWith(op_name_, "/")) return SubScope(op_name_);
  return SubScope(op_name_.empty() ? function : op_name_);
}

Scope Scope::WithDevice(absl::string_view spec) const {
  Scope scope = *this;
  auto parsed = DeviceName::Parse(spec);
  if (!parsed.ok()) {
    Fail(parsed.status());
    return scope;
  }
  auto block = std::make_shared<DeviceBlock>();
  block->spec = *std::move(parsed);
  block->outer = devices_;
  scope.devices_ = std::move(block);
  return scope;
}

Scope Scope::WithDevice(DeviceFunction function) const {
  Scope scope = *this;
  auto block = std::make_shared<DeviceBlock>();
  block->function = std::move(function);
  block->outer = devices_;
  scope.devices_ = std::move(block);
  return scope;
}

Scope Scope::WithoutDevices() const {
  Scope scope = *this;
  scope.devices_ = nullptr;
  return scope;
}

Scope Scope::WithControlDependencies(std::vector<ControlInput> inputs) const {
  Scope scope = *this;
  for (const ControlInput& input : inputs) {
    if (input.op()) scope.control_inputs_.push_back(input.op());
  }
  return scope;
}

Scope Scope::WithoutControlDependencies() const {
  Scope scope = *this;
  scope.control_inputs_.clear();
  return scope;
}

Scope Scope::ColocateWith(const Operation& op) const {
  Scope scope = *this;
  if (!op) return scope;
  for (std::string& group : ColocationGroups(op))
    scope.colocation_.push_back(std::move(group));
  if (!op.device().empty()) scope.colocation_device_ = op.device();
  scope.devices_ = nullptr;
  return scope;
}

Scope Scope::WithoutColocation() const {
  Scope scope = *this;
  scope.colocation_.clear();
  scope.colocation_device_.clear();
  return scope;
}

Scope Scope::WithContainer(absl::string_view container) const {
  Scope scope = *this;
  scope.container_ = std::string(container);
  return scope;
}

Scope Scope::WithAttr(absl::string_view name, AttrValue value) const {
  Scope scope = *this;
  scope.attrs_.Set(name, std::move(value));
  return scope;
}

std::pair<int64_t, int64_t> Scope::Seeds(std::optional<int64_t> op_seed) const {
  constexpr int64_t kDefaultGraphSeed = 87654321;
  constexpr int64_t kMaxSeed = (int64_t{1} << 31) - 1;
  const std::optional<int64_t> graph_seed = graph_->random_seed();
  std::pair<int64_t, int64_t> seeds = {0, 0};
  if (graph_seed) {
    // Without a seed of its own an op gets its number in the graph.
    seeds = {*graph_seed, op_seed ? *op_seed : graph_->num_nodes()};
  } else if (op_seed) {
    seeds = {kDefaultGraphSeed, *op_seed};
  } else {
    return seeds;
  }
  seeds.first %= kMaxSeed;
  seeds.second %= kMaxSeed;
  // (0, 0) would mean a random seed.
  if (seeds == std::pair<int64_t, int64_t>(0, 0)) seeds.second = kMaxSeed;
  return seeds;
}

ClientGraph::NodeSpec Scope::NewNode() const {
  ClientGraph::NodeSpec spec;
  spec.control_inputs = control_inputs_;
  spec.colocation = colocation_;
  spec.device = colocation_device_;
  spec.devices = devices_.get();
  spec.container = container_;
  spec.attrs = attrs_;
  return spec;
}

}  // namespace millrace
