// Calls about memory.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/gpu/standin/calls.h"
#include "tests/gpu/standin/driver_symbols.h"
#include "tests/gpu/standin/enqueue.h"
#include "tests/gpu/standin/streams.h"

namespace millrace::cuda {
namespace {

using standin::Enqueue;
using standin::GetState;
using standin::NeedContext;
using standin::StateLock;

constexpr size_t kHostAlignment = 4096;

// Returns the device whose memory holds the bytes, null if none does.
ContextObject* OwnerOf(DevicePointer address, size_t bytes) {
  for (const auto& context : GetState().contexts) {
    if (context->arena.Contains(address, bytes)) return context.get();
  }
  return nullptr;
}

bool IsPinned(const void* address, size_t bytes) {
  const char* const begin = static_cast<const char*>(address);
  for (const auto& [block, size] : GetState().pinned) {
    if (block <= begin && begin + bytes <= block + size) return true;
  }
  return false;
}

// Requires: State::mu is held. The context of a stream of the current context.
Result NeedStreamForCopy(StreamObject* stream) {
  ContextObject* context = nullptr;
  const Result result = NeedContext(&context);
  if (result != Result::kSuccess) return result;
  return standin::Exists(GetState(), stream) && stream->context == context
             ? Result::kSuccess
             : Result::kInvalidHandle;
}

// Memory of the current device, or of one that it can access.
bool IsAccessible(const ContextObject* context, const ContextObject* owner) {
  return owner != nullptr &&
         (owner == context || context->peers.count(owner->device) > 0);
}

void* HostPointer(DevicePointer address) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(address));
}

// Copies when the stream comes to it.
Result EnqueueCopy(StreamObject* stream, void* to, const void* from,
                   size_t bytes, standin::Arena* also_accessed) {
  standin::Work work;
  work.also_accessed = also_accessed;
  work.run = [to, from, bytes] {
    std::memmove(to, from, bytes);
    return Result::kSuccess;
  };
  Enqueue(stream, std::move(work));
  return Result::kSuccess;
}

Result CopyOnDevices(StreamObject* stream, DevicePointer to,
                     const ContextObject* to_context, DevicePointer from,
                     const ContextObject* from_context, size_t bytes) {
  const Result result = NeedStreamForCopy(stream);
  if (result != Result::kSuccess) return result;
  if (bytes == 0) return Result::kSuccess;
  ContextObject* const to_owner = OwnerOf(to, bytes);
  ContextObject* const from_owner = OwnerOf(from, bytes);
  if (!IsAccessible(to_context, to_owner) ||
      !IsAccessible(from_context, from_owner))
    return Result::kInvalidValue;
  ContextObject* const other =
      to_owner != stream->context ? to_owner : from_owner;
  return EnqueueCopy(stream, HostPointer(to), HostPointer(from), bytes,
                     other != stream->context ? &other->arena : nullptr);
}

}  // namespace

MR_STANDIN_EXPORT Result cuMemGetInfo_v2(size_t* free, size_t* total) {
  MR_STANDIN_BEGIN(cuMemGetInfo_v2);
  const StateLock lock(GetState().mu);
  ContextObject* context = nullptr;
  const Result result = NeedContext(&context);
  if (result != Result::kSuccess) return result;
  *free = context->arena.free_bytes();
  *total = context->arena.limit();
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuMemAlloc_v2(DevicePointer* address, size_t bytes) {
  MR_STANDIN_BEGIN(cuMemAlloc_v2);
  const StateLock lock(GetState().mu);
  ContextObject* context = nullptr;
  const Result result = NeedContext(&context);
  if (result != Result::kSuccess) return result;
  if (bytes == 0 || address == nullptr) return Result::kInvalidValue;
  *address = context->arena.Allocate(bytes);
  return *address != 0 ? Result::kSuccess : Result::kOutOfMemory;
}

MR_STANDIN_EXPORT Result cuMemFree_v2(DevicePointer address) {
  MR_STANDIN_BEGIN(cuMemFree_v2);
  StateLock lock(GetState().mu);
  ContextObject* context = standin::CurrentContext();
  if (context == nullptr || context->users == 0) return Result::kInvalidContext;
  if (address == 0) return Result::kSuccess;
  ContextObject* const owner = OwnerOf(address, 1);
  if (owner == nullptr) return Result::kInvalidValue;
  // Work that was enqueued before may still use it, that of peers, too.
  standin::WaitForContext(lock, nullptr);
  return owner->arena.Free(address) ? context->error : Result::kInvalidValue;
}

MR_STANDIN_EXPORT Result cuMemHostAlloc(void** address, size_t bytes,
                                        unsigned flags) {
  MR_STANDIN_BEGIN(cuMemHostAlloc);
  const StateLock lock(GetState().mu);
  ContextObject* context = nullptr;
  const Result result = NeedContext(&context);
  if (result != Result::kSuccess) return result;
  if (bytes == 0 || flags > kHostAllocPortable) return Result::kInvalidValue;
  if (posix_memalign(address, kHostAlignment, bytes) != 0)
    return Result::kOutOfMemory;
  GetState().pinned.emplace_back(static_cast<const char*>(*address), bytes);
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuMemFreeHost(void* address) {
  MR_STANDIN_BEGIN(cuMemFreeHost);
  StateLock lock(GetState().mu);
  auto& pinned = GetState().pinned;
  const auto found =
      std::find_if(pinned.begin(), pinned.end(),
                   [&](const auto& block) { return block.first == address; });
  if (found == pinned.end()) return Result::kInvalidValue;
  pinned.erase(found);
  ContextObject* const context = standin::CurrentContext();
  standin::WaitForContext(lock, nullptr);
  free(address);
  return context != nullptr ? context->error : Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuMemcpyHtoDAsync_v2(DevicePointer to,
                                              const void* from, size_t bytes,
                                              Stream stream) {
  MR_STANDIN_BEGIN(cuMemcpyHtoDAsync_v2);
  const StateLock lock(GetState().mu);
  const Result result = NeedStreamForCopy(stream);
  if (result != Result::kSuccess) return result;
  if (bytes == 0) return Result::kSuccess;
  if (from == nullptr || !IsAccessible(stream->context, OwnerOf(to, bytes)))
    return Result::kInvalidValue;
  if (IsPinned(from, bytes))
    return EnqueueCopy(stream, HostPointer(to), from, bytes, nullptr);
  // Other memory is copied at once into the driver's own.
  standin::CountCall("pageable_copy");
  auto copy =
      std::make_shared<std::string>(static_cast<const char*>(from), bytes);
  standin::Work work;
  work.run = [to, copy] {
    std::memcpy(HostPointer(to), copy->data(), copy->size());
    return Result::kSuccess;
  };
  Enqueue(stream, std::move(work));
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuMemcpyDtoHAsync_v2(void* to, DevicePointer from,
                                              size_t bytes, Stream stream) {
  MR_STANDIN_BEGIN(cuMemcpyDtoHAsync_v2);
  StateLock lock(GetState().mu);
  const Result result = NeedStreamForCopy(stream);
  if (result != Result::kSuccess) return result;
  if (bytes == 0) return Result::kSuccess;
  if (to == nullptr || !IsAccessible(stream->context, OwnerOf(from, bytes)))
    return Result::kInvalidValue;
  EnqueueCopy(stream, to, HostPointer(from), bytes, nullptr);
  if (IsPinned(to, bytes)) return Result::kSuccess;
  // Copies to other memory return when they are done.
  standin::CountCall("pageable_copy");
  return standin::WaitForStream(lock, stream, stream->last);
}

MR_STANDIN_EXPORT Result cuMemcpyDtoDAsync_v2(DevicePointer to,
                                              DevicePointer from, size_t bytes,
                                              Stream stream) {
  MR_STANDIN_BEGIN(cuMemcpyDtoDAsync_v2);
  const StateLock lock(GetState().mu);
  ContextObject* const context = standin::CurrentContext();
  return CopyOnDevices(stream, to, context, from, context, bytes);
}

MR_STANDIN_EXPORT Result cuMemcpyPeerAsync(DevicePointer to, Context to_context,
                                           DevicePointer from,
                                           Context from_context, size_t bytes,
                                           Stream stream) {
  MR_STANDIN_BEGIN(cuMemcpyPeerAsync);
  const StateLock lock(GetState().mu);
  for (ContextObject* context : {to_context, from_context}) {
    if (context == nullptr || context->users == 0)
      return Result::kInvalidContext;
    if (context->error != Result::kSuccess) return context->error;
  }
  return CopyOnDevices(stream, to, to_context, from, from_context, bytes);
}

MR_STANDIN_EXPORT Result cuMemsetD8Async(DevicePointer to, unsigned char value,
                                         size_t count, Stream stream) {
  MR_STANDIN_BEGIN(cuMemsetD8Async);
  const StateLock lock(GetState().mu);
  const Result result = NeedStreamForCopy(stream);
  if (result != Result::kSuccess) return result;
  if (count == 0) return Result::kSuccess;
  if (!IsAccessible(stream->context, OwnerOf(to, count)))
    return Result::kInvalidValue;
  standin::Work work;
  work.run = [to, value, count] {
    std::memset(HostPointer(to), value, count);
    return Result::kSuccess;
  };
  Enqueue(stream, std::move(work));
  return Result::kSuccess;
}

}  // namespace millrace::cuda

MR_STANDIN_EXPORT int millraceStandInMark(millrace::cuda::Stream stream,
                                          millrace::cuda::DevicePointer address,
                                          size_t bytes, int in_use) {
  using namespace millrace::cuda;  // NOLINT: a C function
  const StateLock lock(GetState().mu);
  // Blocks are marked by threads that have no context, too.
  if (!standin::Exists(GetState(), stream))
    return static_cast<int>(Result::kInvalidHandle);
  if (!stream->context->arena.Contains(address, bytes))
    return static_cast<int>(Result::kInvalidValue);
  standin::Work work;
  work.also_after_errors = true;
  work.run = [address, bytes, in_use] {
    standin::Arena::Mark(address, bytes, in_use != 0);
    return Result::kSuccess;
  };
  Enqueue(stream, std::move(work));
  return 0;
}
