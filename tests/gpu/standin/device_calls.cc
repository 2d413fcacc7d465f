// Calls about the library, its devices and their contexts.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/gpu/standin/calls.h"
#include "tests/gpu/standin/driver_symbols.h"
#include "tests/gpu/standin/grid.h"
#include "tests/gpu/standin/settings.h"
#include "tests/gpu/standin/streams.h"

namespace millrace::cuda {
namespace {

using standin::GetSettings;
using standin::GetState;
using standin::StateLock;

struct ErrorText {
  Result error;
  const char* name;
  const char* text;
};
constexpr ErrorText kErrorTexts[] = {
    {Result::kSuccess, "CUDA_SUCCESS", "no error"},
    {Result::kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {Result::kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {Result::kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED",
     "initialization error"},
    {Result::kDeinitialized, "CUDA_ERROR_DEINITIALIZED",
     "driver shutting down"},
    {Result::kDeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {Result::kNoDevice, "CUDA_ERROR_NO_DEVICE",
     "no CUDA-capable device is detected"},
    {Result::kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE",
     "invalid device ordinal"},
    {Result::kInvalidImage, "CUDA_ERROR_INVALID_IMAGE",
     "device kernel image is invalid"},
    {Result::kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT",
     "invalid device context"},
    {Result::kNoBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {Result::kUncorrectableMemory, "CUDA_ERROR_ECC_UNCORRECTABLE",
     "uncorrectable ECC error encountered"},
    {Result::kInvalidPtx, "CUDA_ERROR_INVALID_PTX",
     "a PTX JIT compilation failed"},
    {Result::kUnsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {Result::kOperatingSystem, "CUDA_ERROR_OPERATING_SYSTEM",
     "OS call failed or operation not supported on this OS"},
    {Result::kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE",
     "invalid resource handle"},
    {Result::kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {Result::kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {Result::kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {Result::kLaunchOutOfResources, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES",
     "too many resources requested for launch"},
    {Result::kLaunchTimeout, "CUDA_ERROR_LAUNCH_TIMEOUT",
     "the launch timed out and was terminated"},
    {Result::kPeerAccessAlreadyEnabled,
     "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
     "peer access is already enabled"},
    {Result::kContextIsDestroyed, "CUDA_ERROR_CONTEXT_IS_DESTROYED",
     "context is destroyed"},
    {Result::kAssert, "CUDA_ERROR_ASSERT", "device-side assert triggered"},
    {Result::kIllegalInstruction, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
     "an illegal instruction was encountered"},
    {Result::kMisalignedAddress, "CUDA_ERROR_MISALIGNED_ADDRESS",
     "misaligned address"},
    {Result::kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED",
     "unspecified launch failure"},
    {Result::kSystemDriverMismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "system has unsupported display driver / cuda driver combination"},
    {Result::kUnknown, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

const ErrorText* FindError(Result error) {
  for (const ErrorText& row : kErrorTexts) {
    if (row.error == error) return &row;
  }
  return nullptr;
}

// Returns null for a number that no device has.
ContextObject* DeviceOf(DeviceOrdinal device) {
  auto& contexts = GetState().contexts;
  return device >= 0 && device < static_cast<int>(contexts.size())
             ? contexts[static_cast<size_t>(device)].get()
             : nullptr;
}

const standin::Settings::Card& CardOf(DeviceOrdinal device) {
  return GetSettings().cards[static_cast<size_t>(device)];
}

Result CopyText(const std::string& from, char* to, int capacity) {
  if (to == nullptr || capacity <= 0) return Result::kInvalidValue;
  std::snprintf(to, static_cast<size_t>(capacity), "%s", from.c_str());
  return Result::kSuccess;
}

int ValueOf(DeviceAttribute attribute) {
  switch (attribute) {
    case DeviceAttribute::kMaxThreadsPerBlock:
      return 1024;
    case DeviceAttribute::kMaxSharedMemoryPerBlock:
      return 48 << 10;
    case DeviceAttribute::kWarpSize:
      return 32;
    case DeviceAttribute::kClockRateKhz:
      return 1'000'000;
    case DeviceAttribute::kMultiprocessorCount:
      return 4;
    case DeviceAttribute::kComputeMode:
      return 0;
    case DeviceAttribute::kMemoryClockRateKhz:
      return 1'000'000;
    case DeviceAttribute::kMemoryBusWidthBits:
      return 256;
    case DeviceAttribute::kL2CacheBytes:
      return 4 << 20;
    case DeviceAttribute::kMaxThreadsPerMultiprocessor:
      return 2048;
    case DeviceAttribute::kComputeCapabilityMajor:
      return GetSettings().capability_major;
    case DeviceAttribute::kComputeCapabilityMinor:
      return GetSettings().capability_minor;
    case DeviceAttribute::kMaxSharedMemoryPerBlockOptin:
      return 99 << 10;
  }
  return -1;
}

}  // namespace

MR_STANDIN_EXPORT Result cuInit(unsigned flags) {
  const auto failed = static_cast<Result>(standin::CountCall("cuInit"));
  if (failed != Result::kSuccess) return failed;
  if (flags != 0) return Result::kInvalidValue;
  const auto& settings = GetSettings();
  auto& state = GetState();
  const StateLock lock(state.mu);
  if (settings.cards.empty()) return Result::kNoDevice;
  if (state.initialized) return Result::kSuccess;
  state.initialized = true;
  auto* counts = new standin::CardCounts(settings.shared_counts);
  for (size_t i = 0; i < settings.cards.size(); ++i) {
    const auto& card = settings.cards[i];
    state.contexts.push_back(std::make_unique<ContextObject>(
        static_cast<int>(i), card.name, card.number, card.memory_bytes,
        counts));
  }
  standin::HandleFaults();
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuDriverGetVersion(int* version) {
  const auto failed =
      static_cast<Result>(standin::CountCall("cuDriverGetVersion"));
  if (failed != Result::kSuccess) return failed;
  if (version == nullptr) return Result::kInvalidValue;
  *version = std::atoi(standin::Variable("DRIVER_VERSION", "13000").c_str());
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuGetErrorName(Result error, const char** name) {
  const ErrorText* row = FindError(error);
  *name = row != nullptr ? row->name : nullptr;
  return row != nullptr ? Result::kSuccess : Result::kInvalidValue;
}

MR_STANDIN_EXPORT Result cuGetErrorString(Result error, const char** text) {
  const ErrorText* row = FindError(error);
  *text = row != nullptr ? row->text : nullptr;
  return row != nullptr ? Result::kSuccess : Result::kInvalidValue;
}

MR_STANDIN_EXPORT Result cuDeviceGetCount(int* count) {
  MR_STANDIN_BEGIN(cuDeviceGetCount);
  *count = static_cast<int>(GetState().contexts.size());
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuDeviceGetName(char* name, int capacity,
                                         DeviceOrdinal device) {
  MR_STANDIN_BEGIN(cuDeviceGetName);
  if (DeviceOf(device) == nullptr) return Result::kInvalidDevice;
  return CopyText(CardOf(device).name, name, capacity);
}

MR_STANDIN_EXPORT Result cuDeviceGetUuid_v2(Uuid* uuid, DeviceOrdinal device) {
  MR_STANDIN_BEGIN(cuDeviceGetUuid_v2);
  if (DeviceOf(device) == nullptr) return Result::kInvalidDevice;
  // The text is "GPU-" and the bytes as hexadecimal digits with dashes.
  unsigned bytes = 0;
  const std::string& text = CardOf(device).uuid;
  for (size_t i = 4; i + 1 < text.size() && bytes < 16; ++i) {
    if (text[i] == '-') continue;
    uuid->bytes[bytes++] =
        static_cast<unsigned char>(std::stoi(text.substr(i, 2), nullptr, 16));
    ++i;
  }
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuDeviceTotalMem_v2(size_t* bytes,
                                             DeviceOrdinal device) {
  MR_STANDIN_BEGIN(cuDeviceTotalMem_v2);
  if (DeviceOf(device) == nullptr) return Result::kInvalidDevice;
  *bytes = CardOf(device).memory_bytes;
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuDeviceGetAttribute(int* value,
                                              DeviceAttribute attribute,
                                              DeviceOrdinal device) {
  MR_STANDIN_BEGIN(cuDeviceGetAttribute);
  if (DeviceOf(device) == nullptr) return Result::kInvalidDevice;
  *value = ValueOf(attribute);
  return *value >= 0 ? Result::kSuccess : Result::kInvalidValue;
}

MR_STANDIN_EXPORT Result cuDeviceGetPCIBusId(char* id, int capacity,
                                             DeviceOrdinal device) {
  MR_STANDIN_BEGIN(cuDeviceGetPCIBusId);
  if (DeviceOf(device) == nullptr) return Result::kInvalidDevice;
  return CopyText(CardOf(device).bus_id, id, capacity);
}

MR_STANDIN_EXPORT Result cuDeviceCanAccessPeer(int* can, DeviceOrdinal device,
                                               DeviceOrdinal peer) {
  MR_STANDIN_BEGIN(cuDeviceCanAccessPeer);
  if (DeviceOf(device) == nullptr || DeviceOf(peer) == nullptr)
    return Result::kInvalidDevice;
  *can = device != peer && standin::Variable("PEERS", "1") == "1";
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuDevicePrimaryCtxRetain(Context* context,
                                                  DeviceOrdinal device) {
  MR_STANDIN_BEGIN(cuDevicePrimaryCtxRetain);
  const StateLock lock(GetState().mu);
  ContextObject* const found = DeviceOf(device);
  if (found == nullptr) return Result::kInvalidDevice;
  ++found->users;
  *context = found;
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuDevicePrimaryCtxRelease_v2(DeviceOrdinal device) {
  MR_STANDIN_BEGIN(cuDevicePrimaryCtxRelease_v2);
  StateLock lock(GetState().mu);
  ContextObject* const context = DeviceOf(device);
  if (context == nullptr) return Result::kInvalidDevice;
  if (context->users == 0) return Result::kInvalidContext;
  if (--context->users > 0) return Result::kSuccess;
  // The context ends with its last user, and its error with it.
  standin::WaitForContext(lock, context);
  context->error = Result::kSuccess;
  context->peers.clear();
  context->flags = 0;
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuDevicePrimaryCtxSetFlags_v2(DeviceOrdinal device,
                                                       unsigned flags) {
  MR_STANDIN_BEGIN(cuDevicePrimaryCtxSetFlags_v2);
  const StateLock lock(GetState().mu);
  ContextObject* const context = DeviceOf(device);
  if (context == nullptr) return Result::kInvalidDevice;
  context->flags = flags;
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuCtxSetCurrent(Context context) {
  MR_STANDIN_BEGIN(cuCtxSetCurrent);
  const StateLock lock(GetState().mu);
  if (context != nullptr && context->users == 0) return Result::kInvalidContext;
  standin::CurrentContext() = context;
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuCtxGetStreamPriorityRange(int* least,
                                                     int* greatest) {
  MR_STANDIN_BEGIN(cuCtxGetStreamPriorityRange);
  const StateLock lock(GetState().mu);
  ContextObject* context = nullptr;
  const Result result = standin::NeedContext(&context);
  if (result != Result::kSuccess) return result;
  *least = 0;
  *greatest = -5;
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuCtxEnablePeerAccess(Context peer, unsigned flags) {
  MR_STANDIN_BEGIN(cuCtxEnablePeerAccess);
  const StateLock lock(GetState().mu);
  ContextObject* context = nullptr;
  const Result result = standin::NeedContext(&context);
  if (result != Result::kSuccess) return result;
  if (flags != 0) return Result::kInvalidValue;
  if (peer == nullptr || peer == context) return Result::kInvalidContext;
  return context->peers.insert(peer->device).second
             ? Result::kSuccess
             : Result::kPeerAccessAlreadyEnabled;
}

}  // namespace millrace::cuda
