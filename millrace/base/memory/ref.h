// Ref<T>: an intrusive reference-counted pointer, for objects that many steps
// share (buffers, resources, rendezvous, sessions). An object with one owner is
// held by a unique_ptr; one that is passed around and seldom copied by a
// shared_ptr (plans, libraries, transports, callers).
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace millrace {

// The base class of reference-counted objects. A new object has one reference.
// Thread-safe.
class RefCounted {
 public:
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void AddRef() const { refs_.fetch_add(1, std::memory_order_relaxed); }
  // Deletes the object when the last reference goes.
  void Unref() const {
    if (refs_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  // Returns true if the caller holds the only reference.
  bool IsUnique() const { return refs_.load(std::memory_order_acquire) == 1; }

 protected:
  RefCounted() = default;
  virtual ~RefCounted() = default;

 private:
  mutable std::atomic<int32_t> refs_{1};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT: as for any pointer
  Ref(const Ref& o) : p_(o.p_) {
    if (p_) p_->AddRef();
  }
  Ref(Ref&& o) noexcept : p_(std::exchange(o.p_, nullptr)) {}
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(const Ref<U>& o)
      : p_(o.get()) {  // NOLINT: as for any pointer
    if (p_) p_->AddRef();
  }
  template <class U>
  requires std::is_convertible_v<U*, T*> Ref(Ref<U>&& o)
  noexcept : p_(o.release()) {}  // NOLINT
  Ref& operator=(Ref o) noexcept {
    std::swap(p_, o.p_);
    return *this;
  }
  ~Ref() {
    if (p_) p_->Unref();
  }

  // Takes over the reference that the caller owns.
  static Ref Adopt(T* p) {
    Ref r;
    r.p_ = p;
    return r;
  }
  // Adds a reference and holds it.
  static Ref Share(T* p) {
    if (p) p->AddRef();
    return Adopt(p);
  }

  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  [[nodiscard]] T* release() { return std::exchange(p_, nullptr); }
  void reset() { *this = Ref(); }

  friend bool operator==(const Ref& a, const Ref& b) { return a.p_ == b.p_; }
  friend bool operator==(const Ref& a, std::nullptr_t) { return !a.p_; }

 private:
  T* p_ = nullptr;
};

template <class T, class... Args>
Ref<T> MakeRef(Args&&... args) {
  return Ref<T>::Adopt(new T(std::forward<Args>(args)...));
}

}  // namespace millrace
