#include "millrace/base/memory/retire.h"

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "millrace/base/check.h"
#include "millrace/base/threads/thread.h"

namespace millrace {
namespace {

struct Uses {
  int64_t count = 0;
  absl::AnyInvocable<void()> destroy;  // once it is retired
};
using Table = absl::flat_hash_map<const void*, Uses>;

constinit Mutex mu;
constinit Table* table = nullptr;  // guarded by mu; never destroyed

}  // namespace

ObjectUse::ObjectUse(const void* object) : object_(object) {
  if (object == nullptr) return;
  MutexLock lock(mu);
  if (table == nullptr) table = new Table;
  ++(*table)[object].count;
}

ObjectUse::~ObjectUse() {
  if (object_ == nullptr) return;
  absl::AnyInvocable<void()> destroy;  // called after the lock
  {
    MutexLock lock(mu);
    const auto it = table->find(object_);
    MR_CHECK(it != table->end(), "a use of no object");
    if (--it->second.count > 0) return;
    destroy = std::move(it->second.destroy);
    table->erase(it);
  }
  if (destroy) destroy();
}

void internal::RetireObject(const void* object,
                            absl::AnyInvocable<void()> destroy) {
  {
    MutexLock lock(mu);
    if (table != nullptr) {
      const auto it = table->find(object);
      if (it != table->end()) {
        it->second.destroy = std::move(destroy);
        return;
      }
    }
  }
  destroy();
}

}  // namespace millrace
