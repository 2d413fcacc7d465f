#include "tests/gpu/standin/streams.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "tests/gpu/standin/calls.h"
#include "tests/gpu/standin/settings.h"

namespace millrace::cuda::standin {
namespace {

constexpr uint64_t kAll = ~0ull;

int64_t NowNanos() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool MayRun(const StreamObject& stream) {
  return !stream.work.empty() &&
         (stream.ends || GetSettings().lazy_seed == 0 ||
          stream.work.front().number <= stream.released);
}

// Waits until `done`. Returns false if the deadline has passed.
template <class Done>
bool WaitUntil(StateLock& lock, const char* what, Done done) {
  if (GetState().changed.wait_for(
          lock, std::chrono::milliseconds(GetSettings().deadline_ms), done))
    return true;
  std::fprintf(stderr, "stand-in: %s has waited for %lld ms\n", what,
               static_cast<long long>(GetSettings().deadline_ms));
  return false;
}

// Does the parts of work that need no lock.
Result RunUnlocked(StateLock& lock, ContextObject* context, Work& work) {
  lock.unlock();
  context->arena.BeginWork();
  if (work.also_accessed != nullptr) work.also_accessed->BeginWork();
  const Result result = work.run();
  if (work.also_accessed != nullptr) work.also_accessed->EndWork();
  context->arena.EndWork();
  work.run = nullptr;
  lock.lock();
  return result;
}

void StreamLoop(StreamObject* stream) {
  State& state = GetState();
  StateLock lock(state.mu);
  for (;;) {
    state.changed.wait(lock, [&] {
      return MayRun(*stream) || (stream->ends && stream->work.empty());
    });
    if (stream->work.empty()) break;
    Work work = std::move(stream->work.front());
    if (work.waits_for != nullptr && !work.waits_for->done) {
      Release(work.waits_for->stream, work.waits_for->number);
      state.changed.wait(lock, [&] { return work.waits_for->done; });
    }
    ContextObject* const context = stream->context;
    // After an error nothing runs any more.
    if (work.run != nullptr &&
        (context->error == Result::kSuccess || work.also_after_errors)) {
      const Result result = RunUnlocked(lock, context, work);
      if (context->error == Result::kSuccess) context->error = result;
    }
    if (work.marks != nullptr) {
      work.marks->done = true;
      work.marks->nanos = NowNanos();
    }
    stream->done = work.number;
    stream->work.pop_front();
    state.changed.notify_all();
  }
  stream->ended = true;
  state.changed.notify_all();
}

}  // namespace

void StartStream(StreamObject* stream) {
  GetState().streams.insert(stream);
  std::thread([stream] { StreamLoop(stream); }).detach();
}

void Enqueue(StreamObject* stream, Work work) {
  work.number = ++stream->last;
  if (work.marks != nullptr) {
    work.marks->stream = stream;
    work.marks->number = work.number;
  }
  stream->work.push_back(std::move(work));
  GetState().changed.notify_all();
}

void Release(StreamObject* stream, uint64_t number) {
  if (stream->released >= number) return;
  stream->released = number;
  GetState().changed.notify_all();
}

Result WaitForStream(StateLock& lock, StreamObject* stream, uint64_t number) {
  Release(stream, number);
  ContextObject* const context = stream->context;
  if (!WaitUntil(lock, "a wait for a stream", [&] {
        return !Exists(GetState(), stream) || stream->done >= number;
      })) {
    return Result::kLaunchTimeout;
  }
  return context->error;
}

void WaitForContext(StateLock& lock, const ContextObject* context) {
  const std::set<StreamObject*> streams = GetState().streams;
  for (StreamObject* stream : streams) {
    if (!Exists(GetState(), stream)) continue;
    if (context == nullptr || stream->context == context)
      WaitForStream(lock, stream, stream->last);
  }
}

bool QueryStream(StreamObject* stream, uint64_t number) {
  if (stream->done >= number) return true;
  const uint64_t seed = GetSettings().lazy_seed;
  if (seed == 0 || stream->released >= number) return false;
  if (stream->held_queries == 0) {
    State& state = GetState();
    state.random = (state.random + seed) * 0x9e3779b97f4a7c15ull + 1;
    stream->held_queries = static_cast<unsigned>(state.random >> 62);
    Release(stream, number);
  } else {
    --stream->held_queries;
  }
  return false;
}

void EndStream(StateLock& lock, StreamObject* stream) {
  stream->ends = true;
  Release(stream, kAll);
  GetState().changed.notify_all();
  WaitUntil(lock, "the end of a stream", [&] { return stream->ended; });
  GetState().streams.erase(stream);
}

}  // namespace millrace::cuda::standin
