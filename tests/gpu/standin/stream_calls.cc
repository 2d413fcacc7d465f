// Calls about streams and events.
#include "tests/gpu/standin/calls.h"
#include "tests/gpu/standin/driver_symbols.h"
#include "tests/gpu/standin/enqueue.h"
#include "tests/gpu/standin/streams.h"

namespace millrace::cuda {
namespace {

using standin::Exists;
using standin::GetState;
using standin::StateLock;

// Returns kInvalidHandle unless the stream is one of the current context, which
// must not have failed. Requires: State::mu is held.
Result NeedStream(StreamObject* stream) {
  ContextObject* context = nullptr;
  const Result result = standin::NeedContext(&context);
  if (result != Result::kSuccess) return result;
  return Exists(GetState(), stream) && stream->context == context
             ? Result::kSuccess
             : Result::kInvalidHandle;
}

// Events may be those of another context: streams wait for these, too.
Result NeedEvent(EventObject* event) {
  ContextObject* context = nullptr;
  const Result result = standin::NeedContext(&context);
  if (result != Result::kSuccess) return result;
  if (!Exists(GetState(), event)) return Result::kInvalidHandle;
  return event->context->error;
}

}  // namespace

MR_STANDIN_EXPORT Result cuStreamCreateWithPriority(Stream* stream,
                                                    unsigned flags,
                                                    int priority) {
  MR_STANDIN_BEGIN(cuStreamCreateWithPriority);
  const StateLock lock(GetState().mu);
  ContextObject* context = nullptr;
  const Result result = standin::NeedContext(&context);
  if (result != Result::kSuccess) return result;
  if (flags > kStreamNonBlocking || stream == nullptr)
    return Result::kInvalidValue;
  (void)priority;  // those out of range are moved into it
  *stream = new StreamObject;
  (*stream)->context = context;
  GetState().objects.insert(*stream);
  standin::StartStream(*stream);
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuStreamDestroy_v2(Stream stream) {
  MR_STANDIN_BEGIN(cuStreamDestroy_v2);
  StateLock lock(GetState().mu);
  if (!Exists(GetState(), stream)) return Result::kInvalidHandle;
  const ContextObject* const context = stream->context;
  GetState().objects.erase(stream);
  standin::EndStream(lock, stream);
  delete stream;
  return context->error;
}

MR_STANDIN_EXPORT Result cuStreamQuery(Stream stream) {
  MR_STANDIN_BEGIN(cuStreamQuery);
  const StateLock lock(GetState().mu);
  const Result result = NeedStream(stream);
  if (result != Result::kSuccess) return result;
  return standin::QueryStream(stream, stream->last) ? Result::kSuccess
                                                    : Result::kNotReady;
}

MR_STANDIN_EXPORT Result cuStreamSynchronize(Stream stream) {
  MR_STANDIN_BEGIN(cuStreamSynchronize);
  StateLock lock(GetState().mu);
  const Result result = NeedStream(stream);
  if (result != Result::kSuccess) return result;
  return standin::WaitForStream(lock, stream, stream->last);
}

MR_STANDIN_EXPORT Result cuStreamWaitEvent(Stream stream, Event event,
                                           unsigned flags) {
  MR_STANDIN_BEGIN(cuStreamWaitEvent);
  const StateLock lock(GetState().mu);
  const Result result = NeedStream(stream);
  if (result != Result::kSuccess) return result;
  if (!Exists(GetState(), event)) return Result::kInvalidHandle;
  if (flags != 0) return Result::kInvalidValue;
  // An event that was never recorded holds nobody up.
  if (event->mark != nullptr) {
    standin::Work work;
    work.waits_for = event->mark;
    standin::Enqueue(stream, std::move(work));
  }
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuEventCreate(Event* event, unsigned flags) {
  MR_STANDIN_BEGIN(cuEventCreate);
  const StateLock lock(GetState().mu);
  ContextObject* context = nullptr;
  const Result result = standin::NeedContext(&context);
  if (result != Result::kSuccess) return result;
  if (event == nullptr) return Result::kInvalidValue;
  *event =
      new EventObject{context, (flags & kEventDisableTiming) == 0, nullptr};
  GetState().objects.insert(*event);
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuEventRecord(Event event, Stream stream) {
  MR_STANDIN_BEGIN(cuEventRecord);
  const StateLock lock(GetState().mu);
  const Result result = NeedStream(stream);
  if (result != Result::kSuccess) return result;
  if (!Exists(GetState(), event) || event->context != stream->context)
    return Result::kInvalidHandle;
  event->mark = std::make_shared<standin::EventMark>();
  standin::Work work;
  work.marks = event->mark;
  standin::Enqueue(stream, std::move(work));
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuEventQuery(Event event) {
  MR_STANDIN_BEGIN(cuEventQuery);
  const StateLock lock(GetState().mu);
  const Result result = NeedEvent(event);
  if (result != Result::kSuccess) return result;
  const auto& mark = event->mark;
  return mark == nullptr || mark->done ||
                 standin::QueryStream(mark->stream, mark->number)
             ? Result::kSuccess
             : Result::kNotReady;
}

MR_STANDIN_EXPORT Result cuEventSynchronize(Event event) {
  MR_STANDIN_BEGIN(cuEventSynchronize);
  StateLock lock(GetState().mu);
  const Result result = NeedEvent(event);
  if (result != Result::kSuccess) return result;
  const std::shared_ptr<standin::EventMark> mark = event->mark;
  if (mark == nullptr || mark->done) return Result::kSuccess;
  return standin::WaitForStream(lock, mark->stream, mark->number);
}

MR_STANDIN_EXPORT Result cuEventDestroy_v2(Event event) {
  MR_STANDIN_BEGIN(cuEventDestroy_v2);
  const StateLock lock(GetState().mu);
  if (!Exists(GetState(), event)) return Result::kInvalidHandle;
  const ContextObject* const context = event->context;
  GetState().objects.erase(event);
  delete event;
  return context->error;
}

MR_STANDIN_EXPORT Result cuEventElapsedTime(float* milliseconds, Event begin,
                                            Event end) {
  MR_STANDIN_BEGIN(cuEventElapsedTime);
  const StateLock lock(GetState().mu);
  for (EventObject* event : {begin, end}) {
    const Result result = NeedEvent(event);
    if (result != Result::kSuccess) return result;
    if (!event->has_time || event->mark == nullptr)
      return Result::kInvalidHandle;
    if (!event->mark->done) return Result::kNotReady;
  }
  *milliseconds =
      static_cast<float>(end->mark->nanos - begin->mark->nanos) / 1e6f;
  return Result::kSuccess;
}

}  // namespace millrace::cuda

MR_STANDIN_EXPORT int millraceStandInEnqueue(millrace::cuda::Stream stream,
                                             void (*run)(void* data),
                                             void* data) {
  using namespace millrace::cuda;  // NOLINT: a C function
  const standin::StateLock lock(standin::GetState().mu);
  const Result result = NeedStream(stream);
  if (result != Result::kSuccess) return static_cast<int>(result);
  standin::Work work;
  work.run = [run, data] {
    run(data);
    return Result::kSuccess;
  };
  standin::Enqueue(stream, std::move(work));
  return 0;
}
