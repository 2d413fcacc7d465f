// The calls of NVIDIA's driver library (libcuda.so.1) that are in use, declared
// here so that no build needs CUDA. The loader (libraries.h) and the stand-in
// of the tests read the same list.
//
// Needs a driver for CUDA 11.4 or newer, the first with all of these symbols.
#pragma once

#include <cstddef>
#include <cstdint>

namespace millrace::cuda {

// The result of a call; a later call may return one for work that was enqueued
// before. Others exist; GetErrorName has their names.
enum class Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kDeinitialized = 4,  // the process ends
  kDeviceUnavailable = 46,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kUncorrectableMemory = 214,
  kInvalidPtx = 218,
  kUncorrectableNvlink = 220,
  kUnsupportedPtxVersion = 222,
  kContained = 226,
  kOperatingSystem = 304,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kPeerAccessAlreadyEnabled = 704,
  kContextIsDestroyed = 709,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidProgramCounter = 718,
  kLaunchFailed = 719,
  kTensorMemoryLeak = 721,
  kSystemDriverMismatch = 803,
  kUnknown = 999,
};

// Whether the context of work that ended so answers each later call with the
// same error. The driver has no call that says it; its header says it of each
// error. That a launch was refused (kLaunchOutOfResources) ends nothing.
constexpr bool EndsContext(Result error) {
  switch (error) {
    case Result::kUncorrectableMemory:
    case Result::kUncorrectableNvlink:
    case Result::kContained:
    case Result::kIllegalAddress:
    case Result::kLaunchTimeout:
    case Result::kContextIsDestroyed:
    case Result::kAssert:
    case Result::kHardwareStackError:
    case Result::kIllegalInstruction:
    case Result::kMisalignedAddress:
    case Result::kInvalidAddressSpace:
    case Result::kInvalidProgramCounter:
    case Result::kLaunchFailed:
    case Result::kTensorMemoryLeak:
      return true;
    default:
      return false;
  }
}

// A device's number in this process: [0, DeviceGetCount).
using DeviceOrdinal = int;
// An address in the memory of a device; 0 is none.
using DevicePointer = unsigned long long;

// The driver's objects.
struct ContextObject;
struct ModuleObject;
struct FunctionObject;
struct StreamObject;
struct EventObject;
using Context = ContextObject*;
using Module = ModuleObject*;
using Function = FunctionObject*;
using Stream = StreamObject*;
using Event = EventObject*;

struct Uuid {
  unsigned char bytes[16];
};

enum class DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxSharedMemoryPerBlock = 8,
  kWarpSize = 10,
  kClockRateKhz = 13,
  kMultiprocessorCount = 16,
  kComputeMode = 20,
  kMemoryClockRateKhz = 36,
  kMemoryBusWidthBits = 37,
  kL2CacheBytes = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kComputeCapabilityMajor = 75,
  kComputeCapabilityMinor = 76,
  // The most that a kernel may have after FuncSetAttribute.
  kMaxSharedMemoryPerBlockOptin = 97,
};

enum class FunctionAttribute : int {
  kMaxThreadsPerBlock = 0,
  kSharedBytes = 1,  // static
  kLocalBytes = 3,   // of each thread: spilled registers and arrays
  kRegisters = 4,    // of each thread
  kMaxDynamicSharedBytes = 8,
};

// Options of ModuleLoadDataEx; the value of each is a void*.
enum class JitOption : int {
  kErrorLogBuffer = 5,       // char*
  kErrorLogBufferBytes = 6,  // the number, as a pointer
};

// Flags.
inline constexpr unsigned kStreamNonBlocking = 1;   // StreamCreateWithPriority
inline constexpr unsigned kEventDisableTiming = 2;  // EventCreate
inline constexpr unsigned kEventDefault = 0;        // EventCreate, with times
inline constexpr unsigned kHostAllocPortable = 1;   // MemHostAlloc
inline constexpr unsigned kScheduleBlockingSync = 4;  // PrimaryCtxSetFlags

// X(Name, symbol, (parameters)): a call that returns Result. All are
// thread-safe; those that have no handle or device work on the context that is
// current for the thread (cuCtxSetCurrent). Sizes are in bytes. An async call
// takes its arguments at once and works in the order of the stream.
#define MILLRACE_CUDA_DRIVER_CALLS(X)                                       \
  /* Once, before any other but DriverGetVersion. Flags are 0. */           \
  X(Init, cuInit, (unsigned flags))                                         \
  /* 1000 * major + 10 * minor of the newest CUDA that it knows. */         \
  X(DriverGetVersion, cuDriverGetVersion, (int* version))                   \
  X(GetErrorName, cuGetErrorName, (Result error, const char** name))        \
  X(GetErrorString, cuGetErrorString, (Result error, const char** text))    \
                                                                            \
  X(DeviceGetCount, cuDeviceGetCount, (int* count))                         \
  X(DeviceGetName, cuDeviceGetName,                                         \
    (char* name, int capacity, DeviceOrdinal device))                       \
  X(DeviceGetUuid, cuDeviceGetUuid_v2, (Uuid * uuid, DeviceOrdinal device)) \
  X(DeviceTotalMem, cuDeviceTotalMem_v2,                                    \
    (size_t * bytes, DeviceOrdinal device))                                 \
  X(DeviceGetAttribute, cuDeviceGetAttribute,                               \
    (int* value, DeviceAttribute attribute, DeviceOrdinal device))          \
  X(DeviceGetPciBusId, cuDeviceGetPCIBusId,                                 \
    (char* id, int capacity, DeviceOrdinal device))                         \
  X(DeviceCanAccessPeer, cuDeviceCanAccessPeer,                             \
    (int* can, DeviceOrdinal device, DeviceOrdinal peer))                   \
                                                                            \
  X(DevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain,                       \
    (Context * context, DeviceOrdinal device))                              \
  X(DevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2,                  \
    (DeviceOrdinal device))                                                 \
  X(DevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2,                \
    (DeviceOrdinal device, unsigned flags))                                 \
  X(CtxSetCurrent, cuCtxSetCurrent, (Context context))                      \
  X(CtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange,                 \
    (int* least, int* greatest))                                            \
  X(CtxEnablePeerAccess, cuCtxEnablePeerAccess,                             \
    (Context peer, unsigned flags))                                         \
                                                                            \
  X(MemGetInfo, cuMemGetInfo_v2, (size_t * free, size_t * total))           \
  X(MemAlloc, cuMemAlloc_v2, (DevicePointer * address, size_t bytes))       \
  X(MemFree, cuMemFree_v2, (DevicePointer address))                         \
  X(MemHostAlloc, cuMemHostAlloc,                                           \
    (void** address, size_t bytes, unsigned flags))                         \
  X(MemFreeHost, cuMemFreeHost, (void* address))                            \
  X(MemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                  \
    (DevicePointer to, const void* from, size_t bytes, Stream stream))      \
  X(MemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                  \
    (void* to, DevicePointer from, size_t bytes, Stream stream))            \
  X(MemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                  \
    (DevicePointer to, DevicePointer from, size_t bytes, Stream stream))    \
  X(MemcpyPeerAsync, cuMemcpyPeerAsync,                                     \
    (DevicePointer to, Context to_context, DevicePointer from,              \
     Context from_context, size_t bytes, Stream stream))                    \
  X(MemsetD8Async, cuMemsetD8Async,                                         \
    (DevicePointer to, unsigned char value, size_t count, Stream stream))   \
                                                                            \
  X(StreamCreateWithPriority, cuStreamCreateWithPriority,                   \
    (Stream * stream, unsigned flags, int priority))                        \
  X(StreamDestroy, cuStreamDestroy_v2, (Stream stream))                     \
  /* kNotReady while work is left. */                                       \
  X(StreamQuery, cuStreamQuery, (Stream stream))                            \
  X(StreamSynchronize, cuStreamSynchronize, (Stream stream))                \
  X(StreamWaitEvent, cuStreamWaitEvent,                                     \
    (Stream stream, Event event, unsigned flags))                           \
  X(EventCreate, cuEventCreate, (Event * event, unsigned flags))            \
  X(EventRecord, cuEventRecord, (Event event, Stream stream))               \
  /* kNotReady until the work before its last record is done. */            \
  X(EventQuery, cuEventQuery, (Event event))                                \
  X(EventSynchronize, cuEventSynchronize, (Event event))                    \
  X(EventDestroy, cuEventDestroy_v2, (Event event))                         \
  X(EventElapsedTime, cuEventElapsedTime,                                   \
    (float* milliseconds, Event begin, Event end))                          \
                                                                            \
  /* `image` is machine code, or PTX as text that ends with 0. */           \
  X(ModuleLoadDataEx, cuModuleLoadDataEx,                                   \
    (Module * module, const void* image, unsigned num_options,              \
     JitOption* options, void** values))                                    \
  X(ModuleUnload, cuModuleUnload, (Module module))                          \
  X(ModuleGetFunction, cuModuleGetFunction,                                 \
    (Function * function, Module module, const char* name))                 \
  X(FuncGetAttribute, cuFuncGetAttribute,                                   \
    (int* value, FunctionAttribute attribute, Function function))           \
  X(FuncSetAttribute, cuFuncSetAttribute,                                   \
    (Function function, FunctionAttribute attribute, int value))            \
  /* `arguments` are pointers to the values of the parameters. */           \
  X(LaunchKernel, cuLaunchKernel,                                           \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,  \
     unsigned block_x, unsigned block_y, unsigned block_z,                  \
     unsigned shared_bytes, Stream stream, void** arguments, void** extra))

}  // namespace millrace::cuda
