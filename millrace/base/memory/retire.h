// Retire: the last user of an object deletes it, for work that continues after
// the object's owner is gone (the work of iterators between steps).
#pragma once

#include <memory>

#include "absl/functional/any_invocable.h"

namespace millrace {

// Keeps an object alive after its owner has passed it to Retire; it does not
// keep an object that is deleted otherwise. Thread-safe.
class ObjectUse {
 public:
  // A null `object` keeps nothing.
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

// Deletes `object` now if it has no uses, otherwise on the thread that ends the
// last use.
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
