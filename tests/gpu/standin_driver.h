// The stand-in's driver and run-time compiler, loaded, for tests of their
// calls.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "millrace/device/cuda/driver_api.h"
#include "millrace/device/cuda/nvrtc_api.h"

namespace millrace::cuda {

// The folder of the stand-in's libraries: MILLRACE_CUDA_LIBRARIES, or the
// build's.
std::string StandInFolder();

struct StandInDriver {
#define MR_CALL(Name, symbol, parameters) Result(*Name) parameters = nullptr;
  MILLRACE_CUDA_DRIVER_CALLS(MR_CALL)
#undef MR_CALL
#define MR_CALL(Name, symbol, parameters) \
  NvrtcResult(*Nvrtc##Name) parameters = nullptr;
  MILLRACE_CUDA_NVRTC_CALLS(MR_CALL)
#undef MR_CALL
  // ---- Control, of the driver.
  int (*Fail)(const char* failures) = nullptr;
  unsigned long long (*Calls)(const char* symbol) = nullptr;
  void (*ResetCalls)() = nullptr;
  int (*Set)(const char* name, const char* value) = nullptr;
  int (*Mark)(Stream, DevicePointer, size_t, int) = nullptr;
  int (*Enqueue)(Stream, void (*)(void*), void*) = nullptr;
};

// Loaded and initialized by the first call.
const StandInDriver& TheStandIn();

// Compiles a text for the first device; empty if it is wrong.
std::string CompileForStandIn(const std::string& text,
                              std::string* log = nullptr);

// A context with a stream, and modules and memory that go with it.
class StandInTest : public ::testing::Test {
 protected:
  static constexpr Result kOk = Result::kSuccess;

  void SetUp() override;
  void TearDown() override;

  Stream NewStream();
  Event NewEvent();
  DevicePointer Allocate(size_t bytes);
  // Loads the entry of a text.
  Function Load(const std::string& text, const char* entry);

  template <class T>
  DevicePointer Upload(const std::vector<T>& values) {
    const size_t bytes = values.size() * sizeof(T);
    const DevicePointer p = Allocate(bytes);
    EXPECT_EQ(driver.MemcpyHtoDAsync(p, values.data(), bytes, stream), kOk);
    return p;
  }
  template <class T>
  std::vector<T> Download(DevicePointer p, size_t count) {
    std::vector<T> values(count);
    EXPECT_EQ(
        driver.MemcpyDtoHAsync(values.data(), p, count * sizeof(T), stream),
        kOk);
    EXPECT_EQ(driver.StreamSynchronize(stream), kOk);
    return values;
  }
  template <class... A>
  Result Launch(Stream on, Function function, unsigned blocks, unsigned threads,
                A... arguments) {
    void* pointers[] = {&arguments..., nullptr};
    return driver.LaunchKernel(function, blocks, 1, 1, threads, 1, 1,
                               shared_bytes, on, pointers, nullptr);
  }

  const StandInDriver& driver = TheStandIn();
  unsigned shared_bytes = 0;
  Context context = nullptr;
  Stream stream = nullptr;

 private:
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::vector<Module> modules_;
  std::vector<DevicePointer> blocks_;
};

}  // namespace millrace::cuda
