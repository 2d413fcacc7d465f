// oneDNN for kernels: its parallel regions run on our intra-op threads, its
// primitives are cached by shape and number of threads (the width), its
// exceptions become a Status.
//
//   DnnlCache<MatMulPrimitive> cache_;                      // of the kernel
//   ...
//   DnnlRun run(ctx, multiply_adds);                        // fixes the width
//   MR_ASSIGN_OR_RETURN(auto p, cache_.Get({m, k, n}, run, [&] { return
//   MakeMatMul(m, k, n); })); return run.Execute(p->primitive, {{DNNL_ARG_SRC,
//   ...}, ...});
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "millrace/base/threads/intra_op.h"
#include "millrace/base/threads/thread.h"
#include "millrace/kernel/kernel_context.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace millrace {

// Returns the CPU engine of the process, which is never destroyed.
const dnnl::engine& DnnlEngine();

// Returns oneDNN's type: float, bfloat16, half, int32, int8, uint8.
// INVALID_ARGUMENT for others.
StatusOr<dnnl::memory::data_type> DnnlType(DataType type);

// Runs `f`. A dnnl::error becomes INTERNAL "oneDNN: ..." (UNIMPLEMENTED if
// there is no implementation), bad_alloc becomes RESOURCE_EXHAUSTED.
Status DnnlTry(absl::FunctionRef<void()> f);

// Returns the attributes of all our primitives: the caller provides the scratch
// memory.
dnnl::primitive_attr DnnlAttr();

// One use of oneDNN by a kernel, from construction to destruction. It holds a
// team of intra-op threads, whose number oneDNN sees as its number of threads
// on this thread. Primitives must be made and executed within a DnnlRun of the
// same width. Must not be nested, and stays on its thread.
class DnnlRun {
 public:
  // Takes idle threads, as many as pay for the work: one below two million
  // multiply-adds; below sixteen million the awake ones and at most one more.
  // Of kernels that run on the host.
  DnnlRun(KernelContext& ctx, int64_t multiply_adds);
  // Takes up to `width` threads of the pool, for code without a kernel.
  DnnlRun(IntraOpPool& pool, Allocator& allocator, int width);
  ~DnnlRun();
  DnnlRun(const DnnlRun&) = delete;
  DnnlRun& operator=(const DnnlRun&) = delete;

  int width() const { return team_.width(); }
  Allocator& allocator() const { return allocator_; }

  // Calls f(index, width) on every member of the team at the same time and
  // returns after the last. Within each, oneDNN has one thread.
  void ForMembers(absl::FunctionRef<void(int index, int width)> f);

  // Calls f(part) for each part of [0, parts), on any free members; returns
  // after the last. Within each, oneDNN has one thread.
  void ShareParts(int64_t parts, absl::FunctionRef<void(int64_t part)> f);

  // Runs the primitive to its end, with scratch memory from the allocator.
  Status Execute(const dnnl::primitive& primitive,
                 std::unordered_map<int, dnnl::memory> args) const;

 private:
  DnnlRun(Allocator& allocator, IntraOpPool::Team team);

  Allocator& allocator_;
  IntraOpPool::Team team_;
};

// Returns a memory object for a tensor's elements.
inline dnnl::memory DnnlMemory(const dnnl::memory::desc& desc,
                               const void* data) {
  return dnnl::memory(desc, DnnlEngine(), const_cast<void*>(data));
}

// A cache of the objects for each (key, width); the least recently used are
// evicted when there are more than `capacity`. Thread-safe. T is immutable.
template <class T>
class DnnlCache {
 public:
  using Key = absl::InlinedVector<int64_t, 16>;

  explicit DnnlCache(size_t capacity = 64) : state_(std::make_unique<State>()) {
    state_->capacity = capacity;
  }

  // `make` returns StatusOr<T>; it runs without a lock, so two threads may make
  // the same object.
  template <class F>
  StatusOr<std::shared_ptr<const T>> Get(Key key, const DnnlRun& run,
                                         F&& make) const {
    key.push_back(run.width());
    State& s = *state_;
    {
      MutexLock lock(s.mu);
      const auto it = s.entries.find(key);
      if (it != s.entries.end()) {
        it->second.used = ++s.clock;
        return it->second.value;
      }
    }
    std::shared_ptr<const T> value;
    Status status;
    MR_RETURN_IF_ERROR(DnnlTry([&] {
      StatusOr<T> made = make();
      if (made.ok()) {
        value = std::make_shared<const T>(*std::move(made));
      } else {
        status = made.status();
      }
    }));
    MR_RETURN_IF_ERROR(status);
    MutexLock lock(s.mu);
    if (s.entries.size() >= s.capacity) {
      auto oldest = s.entries.begin();
      for (auto it = s.entries.begin(); it != s.entries.end(); ++it) {
        if (it->second.used < oldest->second.used) oldest = it;
      }
      s.entries.erase(oldest);
    }
    s.entries[std::move(key)] = {value, ++s.clock};
    return value;
  }

  size_t size() const {
    MutexLock lock(state_->mu);
    return state_->entries.size();
  }

 private:
  struct Entry {
    std::shared_ptr<const T> value;
    uint64_t used = 0;
  };
  struct State {
    Mutex mu;
    size_t capacity;
    uint64_t clock = 0;
    absl::flat_hash_map<Key, Entry> entries;
  };
  std::unique_ptr<State> state_;  // kernels move during construction
};

// Returns true if oneDNN's parallel regions call our functions and not
// libgomp's.
bool UsesOwnOpenMp();

}  // namespace millrace
