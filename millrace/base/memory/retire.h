// Retire: deletion of an object by its last user, for what goes on for a while
// after the object's owner is gone (the work of iterators between steps).
#pragma once

#include <memory>

#include "absl/functional/any_invocable.h"

namespace millrace {

// Keeps an object that its owner gives up by Retire, not one that is deleted
// otherwise. Thread-safe.
class ObjectUse {
 public:
  // Null: keeps nothing.
  explicit ObjectUse(const void* object);
  ~ObjectUse();
  ObjectUse(const ObjectUse&) = delete;
  ObjectUse& operator=(const ObjectUse&) = delete;

 private:
  const void* const object_;
};

namespace internal {
void RetireObject(const void* object, absl::AnyInvocable<void()> destroy);
}  // namespace internal

// Deletes `object` now if it has no uses, else on the thread of the last one.
template <class T>
void Retire(std::unique_ptr<T> object) {
  T* const p = object.release();
  if (p != nullptr) internal::RetireObject(p, [p] { delete p; });
}

// The deleter of a unique_ptr that retires its object.
struct RetireDelete {
  template <class T>
  void operator()(T* object) const {
    Retire(std::unique_ptr<T>(object));
  }
};

}  // namespace millrace
