#include "tests/gpu/standin_driver.h"

#include <dlfcn.h>

#include "millrace/base/check.h"
#include "millrace/base/environment.h"
#include "tests/gpu/use_standin.h"

namespace millrace::cuda {
namespace {

void* Open(const char* file) {
  const std::string path = StandInFolder() + "/" + file;
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  MR_CHECK(library != nullptr, dlerror());
  return library;
}

template <class F>
void Find(void* library, const char* symbol, F** function) {
  *function = reinterpret_cast<F*>(dlsym(library, symbol));
  MR_CHECK(*function != nullptr, symbol);
}

StandInDriver* LoadStandIn() {
  UseStandIn();
  auto* d = new StandInDriver;
  void* const cuda = Open("libcuda.so.1");
  void* const nvrtc = Open("libnvrtc.so.13");
#define MR_CALL(Name, symbol, parameters) Find(cuda, #symbol, &d->Name);
  MILLRACE_CUDA_DRIVER_CALLS(MR_CALL)
#undef MR_CALL
#define MR_CALL(Name, symbol, parameters) Find(nvrtc, #symbol, &d->Nvrtc##Name);
  MILLRACE_CUDA_NVRTC_CALLS(MR_CALL)
#undef MR_CALL
  Find(cuda, "millraceStandInFail", &d->Fail);
  Find(cuda, "millraceStandInCalls", &d->Calls);
  Find(cuda, "millraceStandInReset", &d->ResetCalls);
  Find(cuda, "millraceStandInSet", &d->Set);
  Find(cuda, "millraceStandInMark", &d->Mark);
  Find(cuda, "millraceStandInEnqueue", &d->Enqueue);
  MR_CHECK(d->Init(0) == Result::kSuccess, "cuInit");
  return d;
}

}  // namespace

std::string StandInFolder() {
  return EnvironmentVariable("MILLRACE_CUDA_LIBRARIES")
      .value_or(MILLRACE_STANDIN_FOLDER);
}

const StandInDriver& TheStandIn() {
  static const StandInDriver* const driver = LoadStandIn();
  return *driver;
}

std::string CompileForStandIn(const std::string& text, std::string* log) {
  const StandInDriver& d = TheStandIn();
  NvrtcProgram program = nullptr;
  EXPECT_EQ(
      d.NvrtcCreateProgram(&program, text.c_str(), "test", 0, nullptr, nullptr),
      NvrtcResult::kSuccess);
  const char* const options[] = {"--gpu-architecture=sm_80"};
  const NvrtcResult compiled = d.NvrtcCompileProgram(program, 1, options);
  size_t bytes = 0;
  EXPECT_EQ(d.NvrtcGetProgramLogSize(program, &bytes), NvrtcResult::kSuccess);
  std::string said(bytes, '\0'), code;
  EXPECT_EQ(d.NvrtcGetProgramLog(program, said.data()), NvrtcResult::kSuccess);
  if (log != nullptr) *log = said;
  if (compiled == NvrtcResult::kSuccess) {
    EXPECT_EQ(d.NvrtcGetCubinSize(program, &bytes), NvrtcResult::kSuccess);
    code.resize(bytes);
    EXPECT_EQ(d.NvrtcGetCubin(program, code.data()), NvrtcResult::kSuccess);
  }
  EXPECT_EQ(d.NvrtcDestroyProgram(&program), NvrtcResult::kSuccess);
  return code;
}

void StandInTest::SetUp() {
  driver.ResetCalls();
  ASSERT_EQ(driver.DevicePrimaryCtxRetain(&context, 0), kOk);
  ASSERT_EQ(driver.CtxSetCurrent(context), kOk);
  stream = NewStream();
}

// After an error of the context its objects end all the same.
void StandInTest::TearDown() {
  driver.Fail("");
  for (const char* name : {"lazy", "strict", "seed"}) driver.Set(name, "0");
  for (Stream s : streams_) driver.StreamDestroy(s);
  for (Event e : events_) driver.EventDestroy(e);
  for (Module m : modules_) driver.ModuleUnload(m);
  for (DevicePointer p : blocks_) driver.MemFree(p);
  ASSERT_EQ(driver.DevicePrimaryCtxRelease(0), kOk);
}

Stream StandInTest::NewStream() {
  Stream made = nullptr;
  EXPECT_EQ(driver.StreamCreateWithPriority(&made, kStreamNonBlocking, 0), kOk);
  streams_.push_back(made);
  return made;
}

Event StandInTest::NewEvent() {
  Event made = nullptr;
  EXPECT_EQ(driver.EventCreate(&made, kEventDefault), kOk);
  events_.push_back(made);
  return made;
}

DevicePointer StandInTest::Allocate(size_t bytes) {
  DevicePointer made = 0;
  EXPECT_EQ(driver.MemAlloc(&made, bytes), kOk);
  blocks_.push_back(made);
  return made;
}

Function StandInTest::Load(const std::string& text, const char* entry) {
  std::string log;
  const std::string code = CompileForStandIn(text, &log);
  EXPECT_NE(code, "") << log;
  Module module = nullptr;
  Function function = nullptr;
  if (code.empty()) return nullptr;
  EXPECT_EQ(driver.ModuleLoadDataEx(&module, code.data(), 0, nullptr, nullptr),
            kOk);
  modules_.push_back(module);
  EXPECT_EQ(driver.ModuleGetFunction(&function, module, entry), kOk);
  return function;
}

}  // namespace millrace::cuda
