// Resource: named state on a device. ResourceStore: resources by container and
// name.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "millrace/base/memory/ref.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"
#include "millrace/tensor/handle.h"

namespace millrace {

// A variable, queue, reader, table and so on. Each class has a constant
//   static constexpr absl::string_view kTypeName = "Variable";
// which is its type at run time. Thread-safe.
class Resource : public RefCounted {
 public:
  virtual absl::string_view type_name() const = 0;
  // Returns one line for status pages.
  virtual std::string DebugString() const = 0;
  // Called once when the store removes it (reset, end of the session): waiting
  // operations must end, with ABORTED or CANCELLED.
  virtual void OnRemoved() {}
};

// Thread-safe.
class ResourceStore {
 public:
  // `default_container` replaces an empty container name (the job's name).
  // `all_exist`: a container without resources is not said to be missing.
  explicit ResourceStore(std::string default_container, bool all_exist = false);
  ~ResourceStore();

  const std::string& default_container() const { return default_container_; }

  // Returns NOT_FOUND "Resource container/name/Type does not exist.", with the
  // type of one that has that name.
  template <class T>
  StatusOr<Ref<T>> Lookup(absl::string_view container, absl::string_view name);
  // `make` runs under the store's lock, so it must be quick.
  template <class T>
  StatusOr<Ref<T>> LookupOrCreate(absl::string_view container,
                                  absl::string_view name,
                                  absl::FunctionRef<StatusOr<Ref<T>>()> make);
  // Returns ALREADY_EXISTS if there is a resource of that name and type.
  Status Create(absl::string_view container, absl::string_view name,
                Ref<Resource> resource);
  // Returns NOT_FOUND if there is no such resource.
  Status Delete(absl::string_view container, absl::string_view name,
                absl::string_view type_name);
  // Returns a number that it has not returned before, for unique names: the
  // owner of a resource may remove it by its name late, after a reset.
  int64_t NextNumber() {
    return next_number_.fetch_add(1, std::memory_order_relaxed);
  }
  // Removes all resources of the container; OK if there is no such container.
  void Clear(absl::string_view container);
  void ClearAll();

  struct Info {
    std::string container, name, type, debug;
  };
  std::vector<Info> List() const;

 private:
  StatusOr<Ref<Resource>> Find(absl::string_view container,
                               absl::string_view name,
                               absl::string_view type_name);
  StatusOr<Ref<Resource>> FindOrMake(
      absl::string_view container, absl::string_view name,
      absl::string_view type_name,
      absl::FunctionRef<StatusOr<Ref<Resource>>()> make);

  // The key is (type, name).
  using Container =
      absl::flat_hash_map<std::pair<std::string, std::string>, Ref<Resource>>;
  static void RemoveAll(const Container& removed);
  std::string Resolve(absl::string_view container) const {
    return container.empty() ? default_container_ : std::string(container);
  }

  const std::string default_container_;
  const bool all_exist_;
  std::atomic<int64_t> next_number_{0};
  mutable Mutex mu_;
  absl::flat_hash_map<std::string, Container> containers_;
};

template <class T>
StatusOr<Ref<T>> ResourceStore::Lookup(absl::string_view container,
                                       absl::string_view name) {
  MR_ASSIGN_OR_RETURN(Ref<Resource> r, Find(container, name, T::kTypeName));
  return Ref<T>::Adopt(static_cast<T*>(r.release()));
}

template <class T>
StatusOr<Ref<T>> ResourceStore::LookupOrCreate(
    absl::string_view container, absl::string_view name,
    absl::FunctionRef<StatusOr<Ref<T>>()> make) {
  MR_ASSIGN_OR_RETURN(Ref<Resource> r,
                      FindOrMake(container, name, T::kTypeName,
                                 [&]() -> StatusOr<Ref<Resource>> {
                                   MR_ASSIGN_OR_RETURN(Ref<T> made, make());
                                   return Ref<Resource>(std::move(made));
                                 }));
  return Ref<T>::Adopt(static_cast<T*>(r.release()));
}

}  // namespace millrace
