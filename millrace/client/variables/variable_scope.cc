#include "millrace/client/variables/variable_scope.h"

#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/client/ops.h"

namespace millrace {
namespace {

// The collection that holds a graph's store; programs do not see its type.
constexpr char kStoreCollection[] = "__variable_store";

template <class V>
PartialShape PartialShapeOf(const V& variable) {
  if constexpr (std::is_same_v<V, ops::Variable>) {
    return variable.shape();
  } else {
    return PartialShape(variable.shape());
  }
}

// Checks that a request matches the existing variable.
template <class V>
bool CheckShared(const Scope& scope, const std::string& name, const V& variable,
                 const TensorShape& shape, DataType dtype) {
  if (variable.dtype() != dtype) {
    scope.Fail(InvalidArgument("Trying to share variable ", name,
                               ", but specified dtype ", DataTypeName(dtype),
                               " and found dtype ",
                               DataTypeName(variable.dtype()), "."),
               name);
    return false;
  }
  if (!(PartialShapeOf(variable) == PartialShape(shape))) {
    scope.Fail(InvalidArgument("Trying to share variable ", name,
                               ", but specified shape ", shape.DebugString(),
                               " and found shape ",
                               PartialShapeOf(variable).DebugString(), "."),
               name);
    return false;
  }
  return true;
}

}  // namespace

struct VariableScope::Store {
  std::map<std::string, ops::Variable> variables;
  std::map<std::string, ops::PartitionedVariable> partitioned;
  std::set<std::string> entered;  // names of blocks
};

VariableScope::VariableScope(const Scope& scope) : scope_(scope) {
  const auto stores =
      scope.graph().Collection<std::shared_ptr<Store>>(kStoreCollection);
  if (!stores.empty()) {
    store_ = stores.front();
    return;
  }
  store_ = std::make_shared<Store>();
  scope.graph().AddToCollection(kStoreCollection, store_);
}

VariableScope VariableScope::Entered(const std::string& name) const {
  VariableScope sub = *this;
  sub.name_ = FullName(name);
  sub.scope_ = scope_.SubScope(name);
  // Restarts the numbering of names inside.
  const std::string inside = sub.name_ + "/";
  auto it = store_->entered.lower_bound(inside);
  while (it != store_->entered.end() && absl::StartsWith(*it, inside)) {
    it = store_->entered.erase(it);
  }
  store_->entered.insert(sub.name_);
  return sub;
}

VariableScope VariableScope::Sub(absl::string_view name) const {
  return Entered(std::string(name));
}

VariableScope VariableScope::UniqueSub(absl::string_view name) const {
  std::string unique(name);
  for (int i = 1; store_->entered.contains(FullName(unique)); ++i) {
    unique = absl::StrCat(name, "_", i);
  }
  return Entered(unique);
}

VariableScope VariableScope::WithScope(const Scope& scope) const {
  VariableScope other = *this;
  other.scope_ = scope;
  return other;
}
VariableScope VariableScope::WithReuse(Reuse reuse) const {
  VariableScope other = *this;
  other.reuse_ = reuse;
  return other;
}
VariableScope VariableScope::WithInitializer(Initializer initializer) const {
  VariableScope other = *this;
  other.initializer_ = std::move(initializer);
  return other;
}
VariableScope VariableScope::WithRegularizer(Regularizer regularizer) const {
  VariableScope other = *this;
  other.regularizer_ = std::move(regularizer);
  return other;
}
VariableScope VariableScope::WithPartitioner(Partitioner partitioner) const {
  VariableScope other = *this;
  other.partitioner_ = std::move(partitioner);
  return other;
}
VariableScope VariableScope::WithResources(bool use_resource) const {
  VariableScope other = *this;
  other.use_resource_ = use_resource;
  return other;
}

std::string VariableScope::FullName(absl::string_view name) const {
  return name_.empty() ? std::string(name) : absl::StrCat(name_, "/", name);
}

GetVariableOptions VariableScope::Complete(
    const GetVariableOptions& options) const {
  GetVariableOptions all = options;
  if (!all.initializer) all.initializer = initializer_;
  if (!all.initializer) {
    all.initializer = IsFloating(all.dtype) ? GlorotUniform() : Zeros();
  }
  if (!all.regularizer) all.regularizer = regularizer_;
  if (!all.partitioner) all.partitioner = partitioner_;
  if (!all.use_resource) all.use_resource = use_resource_;
  return all;
}

ops::VariableOptions VariableScope::OptionsFor(
    const GetVariableOptions& options) const {
  return {.trainable = options.trainable,
          .collections = options.collections,
          .use_resource = *options.use_resource};
}

bool VariableScope::MayMake(const std::string& full_name, bool exists) const {
  if (exists && reuse_ == Reuse::kNo) {
    scope_.Fail(InvalidArgument("Variable ", full_name,
                                " already exists, disallowed. Did you mean to "
                                "set Reuse::kYes or Reuse::kAuto in its "
                                "VariableScope?"),
                full_name);
    return false;
  }
  if (!exists && reuse_ == Reuse::kYes) {
    scope_.Fail(InvalidArgument("Variable ", full_name,
                                " does not exist, or was not created by a "
                                "VariableScope. Did you mean to set "
                                "Reuse::kAuto?"),
                full_name);
    return false;
  }
  return true;
}

void VariableScope::Regularize(const std::string& full_name,
                               const Output& value,
                               const GetVariableOptions& options) const {
  if (!options.regularizer || !value) return;
  const Scope block = scope_.SubScope("")
                          .SubScope(full_name + "/")
                          .SubScope("Regularizer")
                          .ColocateWith(value);
  const Output loss = options.regularizer(block, value);
  if (loss) {
    scope_.graph().AddToCollection(graph_keys::kRegularizationLosses, loss);
  }
}

ops::Variable VariableScope::GetVariable(
    absl::string_view name, const TensorShape& shape,
    const GetVariableOptions& options) const {
  const std::string full_name = FullName(name);
  const auto found = store_->variables.find(full_name);
  const bool exists = found != store_->variables.end();
  if (!MayMake(full_name, exists)) return {};
  if (exists) {
    return CheckShared(scope_, full_name, found->second, shape, options.dtype)
               ? found->second
               : ops::Variable();
  }
  const GetVariableOptions all = Complete(options);
  const ops::Variable made =
      ops::MakeVariable(scope_.SubScope("").WithOpName(full_name), shape,
                        all.dtype, all.initializer, OptionsFor(all));
  if (!made) return made;
  store_->variables.emplace(full_name, made);
  Regularize(full_name, made, all);
  return made;
}

ops::PartitionedVariable VariableScope::GetPartitioned(
    absl::string_view name, const TensorShape& shape,
    const GetVariableOptions& options) const {
  const std::string full_name = FullName(name);
  const auto found = store_->partitioned.find(full_name);
  const bool exists = found != store_->partitioned.end();
  if (!MayMake(full_name, exists)) return {};
  if (exists) {
    return CheckShared(scope_, full_name, found->second, shape, options.dtype)
               ? found->second
               : ops::PartitionedVariable();
  }
  const GetVariableOptions all = Complete(options);
  const ops::PartitionedVariable made(
      scope_.SubScope("").WithOpName(full_name), shape, all.dtype,
      all.initializer, all.partitioner, OptionsFor(all), all.part_devices);
  if (!made) return made;
  store_->partitioned.emplace(full_name, made);
  for (const ops::Variable& part : made.parts()) {
    Regularize(part.op_name(), part, all);
  }
  return made;
}

Output VariableScope::GetValue(absl::string_view name, const TensorShape& shape,
                               const GetVariableOptions& options) const {
  if ((!options.partitioner && !partitioner_) || shape.rank() == 0) {
    return GetVariable(name, shape, options);
  }
  const ops::PartitionedVariable whole = GetPartitioned(name, shape, options);
  return whole ? whole.Value(scope_) : Output();
}

}  // namespace millrace
