#include "millrace/kernel/resource.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"

namespace millrace {

ResourceStore::ResourceStore(std::string default_container, bool all_exist)
    : default_container_(std::move(default_container)), all_exist_(all_exist) {}

ResourceStore::~ResourceStore() {
  if (!containers_.empty()) ClearAll();
}

StatusOr<Ref<Resource>> ResourceStore::Find(absl::string_view container,
                                            absl::string_view name,
                                            absl::string_view type_name) {
  const std::string where = Resolve(container);
  MutexLock lock(mu_);
  const auto it = containers_.find(where);
  if (it == containers_.end()) {
    if (all_exist_) {
      return NotFound("Resource ", where, "/", name, "/", type_name,
                      " does not exist.");
    }
    return NotFound("Container ", where,
                    " does not exist. (Could not find resource: ", where, "/",
                    name, ")");
  }
  const auto found =
      it->second.find({std::string(type_name), std::string(name)});
  if (found != it->second.end()) return found->second;
  for (const auto& [key, resource] : it->second) {
    if (key.second == name) {
      return NotFound("Resource ", where, "/", name, "/", type_name,
                      " does not exist. The resource of that name is of type ",
                      key.first, ".");
    }
  }
  return NotFound("Resource ", where, "/", name, "/", type_name,
                  " does not exist.");
}

StatusOr<Ref<Resource>> ResourceStore::FindOrMake(
    absl::string_view container, absl::string_view name,
    absl::string_view type_name,
    absl::FunctionRef<StatusOr<Ref<Resource>>()> make) {
  std::pair<std::string, std::string> key{std::string(type_name),
                                          std::string(name)};
  MutexLock lock(mu_);
  Container& resources = containers_[Resolve(container)];
  const auto found = resources.find(key);
  if (found != resources.end()) return found->second;
  MR_ASSIGN_OR_RETURN(Ref<Resource> made, make());
  resources.emplace(std::move(key), made);
  return made;
}

Status ResourceStore::Create(absl::string_view container,
                             absl::string_view name, Ref<Resource> resource) {
  const std::string where = Resolve(container);
  std::pair<std::string, std::string> key{std::string(resource->type_name()),
                                          std::string(name)};
  MutexLock lock(mu_);
  if (!containers_[where].try_emplace(std::move(key), resource).second) {
    return AlreadyExists("Resource ", where, "/", name, "/",
                         resource->type_name(), " already exists.");
  }
  return OkStatus();
}

Status ResourceStore::Delete(absl::string_view container,
                             absl::string_view name,
                             absl::string_view type_name) {
  const std::string where = Resolve(container);
  Ref<Resource> removed;
  {
    MutexLock lock(mu_);
    const auto it = containers_.find(where);
    if (it == containers_.end() && !all_exist_)
      return NotFound("Container ", where, " does not exist.");
    Container none;
    Container& resources = it == containers_.end() ? none : it->second;
    const auto found =
        resources.find({std::string(type_name), std::string(name)});
    if (found == resources.end()) {
      return NotFound("Resource ", where, "/", name, "/", type_name,
                      " does not exist.");
    }
    removed = std::move(found->second);
    resources.erase(found);
  }
  // Outside the lock: ending an operation may look up other resources.
  removed->OnRemoved();
  return OkStatus();
}

// Does not use the order of the hash table, which differs from run to run.
void ResourceStore::RemoveAll(const Container& removed) {
  std::vector<const Container::value_type*> ordered;
  for (const auto& entry : removed) ordered.push_back(&entry);
  std::sort(ordered.begin(), ordered.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  for (const auto* entry : ordered) entry->second->OnRemoved();
}

void ResourceStore::Clear(absl::string_view container) {
  Container removed;
  {
    MutexLock lock(mu_);
    const auto it = containers_.find(Resolve(container));
    if (it == containers_.end()) return;
    removed = std::move(it->second);
    containers_.erase(it);
  }
  RemoveAll(removed);
}

void ResourceStore::ClearAll() {
  std::vector<std::pair<std::string, Container>> removed;
  {
    MutexLock lock(mu_);
    for (auto& [name, container] : containers_) {
      removed.emplace_back(name, std::move(container));
    }
    containers_.clear();
  }
  std::sort(removed.begin(), removed.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [name, container] : removed) RemoveAll(container);
}

std::vector<ResourceStore::Info> ResourceStore::List() const {
  std::vector<std::pair<Info, Ref<Resource>>> found;
  {
    MutexLock lock(mu_);
    for (const auto& [where, container] : containers_) {
      for (const auto& [key, resource] : container) {
        found.push_back({{where, key.second, key.first, ""}, resource});
      }
    }
  }
  std::vector<Info> list;
  for (auto& [info, resource] : found) {
    info.debug = resource->DebugString();
    list.push_back(std::move(info));
  }
  std::sort(list.begin(), list.end(), [](const Info& a, const Info& b) {
    return std::tie(a.container, a.name, a.type) <
           std::tie(b.container, b.name, b.type);
  });
  return list;
}

}  // namespace millrace
