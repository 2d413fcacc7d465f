// The driver's objects, and the state of the process.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "millrace/device/cuda/driver_api.h"
#include "tests/gpu/standin/arena.h"
#include "tests/gpu/standin/device_abi.h"

namespace millrace::cuda {

namespace standin {

// One record of an event. Guarded by State::mu.
struct EventMark {
  StreamObject* stream = nullptr;  // lives while the mark is not done
  uint64_t number = 0;             // of the work that makes it done
  bool done = false;
  int64_t nanos = 0;  // when that was
};

// Work of a stream; its parts happen in this order.
struct Work {
  uint64_t number = 0;
  std::shared_ptr<EventMark> waits_for;
  std::function<Result()> run;
  bool also_after_errors = false;  // runs even if the context has failed
  Arena* also_accessed = nullptr;  // of another device
  std::shared_ptr<EventMark> marks;
};

}  // namespace standin

// The primary context of a device. Lives as long as the process.
struct ContextObject {
  ContextObject(int the_device, const std::string& the_name, int card,
                size_t memory_bytes, standin::CardCounts* counts)
      : device(the_device), name(the_name), arena(card, memory_bytes, counts) {}

  const int device;
  const std::string name;
  standin::Arena arena;
  // ---- Guarded by State::mu.
  int users = 0;
  unsigned flags = 0;
  Result error = Result::kSuccess;  // that each call gives from now on
  std::set<int> peers;              // devices whose memory it can access
};

struct StreamObject {
  ContextObject* context = nullptr;
  // ---- Guarded by State::mu.
  std::deque<standin::Work> work;
  uint64_t last = 0;          // number of what was enqueued last
  uint64_t done = 0;          // number of what was done last
  uint64_t released = 0;      // in lazy mode: what may run
  unsigned held_queries = 0;  // in lazy mode: that go by before more may run
  bool ends = false, ended = false;
};

struct EventObject {
  ContextObject* context = nullptr;
  bool has_time = true;
  std::shared_ptr<standin::EventMark> mark;  // null: never recorded
};

struct ModuleObject {
  ContextObject* context = nullptr;
  void* library = nullptr;
  const StandInModule* module = nullptr;
  uint64_t number = 0;
  std::vector<std::unique_ptr<FunctionObject>> functions;
};

struct FunctionObject {
  ModuleObject* module = nullptr;
  const StandInEntry* entry = nullptr;
  int most_dynamic_shared = 48 << 10;
};

namespace standin {

struct State {
  std::mutex mu;
  // Something that somebody may wait for has changed: all waits are on this.
  std::condition_variable changed;
  bool initialized = false;
  std::vector<std::unique_ptr<ContextObject>> contexts;  // by device
  // Objects that exist, by which handles are known to be good.
  std::set<const void*> objects;
  std::set<StreamObject*> streams;
  std::vector<std::pair<const char*, size_t>> pinned;
  uint64_t modules = 0;
  uint64_t random = 0;
};

// Never destroyed: streams of the process use it until it ends.
State& GetState();

// The context that is current for this thread; null: none.
ContextObject*& CurrentContext();

// Every call begins with this: it counts, fails on demand, and needs cuInit to
// have been called before.
Result BeginCall(const char* symbol);
// Sets the context of calls that need one, which must not have failed.
Result NeedContext(ContextObject** context);

template <class Object>
bool Exists(State& state, const Object* object) {
  return state.objects.count(object) > 0;
}

}  // namespace standin
}  // namespace millrace::cuda

// A call of the driver: counted, and may have to fail.
#define MR_STANDIN_BEGIN(symbol)                                          \
  if (const Result begun = ::millrace::cuda::standin::BeginCall(#symbol); \
      begun != Result::kSuccess)                                          \
  return begun

#define MR_STANDIN_EXPORT extern "C" __attribute__((visibility("default")))
