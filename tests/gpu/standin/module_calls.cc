// Calls about modules, their functions, and their launches.
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/gpu/standin/calls.h"
#include "tests/gpu/standin/compile.h"
#include "tests/gpu/standin/driver_symbols.h"
#include "tests/gpu/standin/grid.h"
#include "tests/gpu/standin/image.h"
#include "tests/gpu/standin/settings.h"
#include "tests/gpu/standin/streams.h"

namespace millrace::cuda {
namespace {

using standin::Exists;
using standin::GetState;
using standin::StateLock;

constexpr unsigned kMostThreads = 1024;
constexpr size_t kArgumentAlignment = 16;

// Loads a shared library from memory; null if the system cannot.
void* LoadLibrary(const std::string& bytes) {
  const char* base = getenv("TMPDIR");
  std::string path = std::string(base != nullptr ? base : "/tmp") +
                     "/millrace_standin_module_XXXXXX";
  const int file = mkstemp(path.data());
  if (file < 0) return nullptr;
  const bool written = write(file, bytes.data(), bytes.size()) ==
                       static_cast<ssize_t>(bytes.size());
  close(file);
  void* const library =
      written ? dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (library == nullptr) std::fprintf(stderr, "stand-in: %s\n", dlerror());
  unlink(path.c_str());
  return library;
}

// Writes a message to the buffer that the options name, if any.
void WriteErrorLog(unsigned num_options, const JitOption* options,
                   void* const* values, const std::string& text) {
  char* buffer = nullptr;
  size_t bytes = 0;
  for (unsigned i = 0; i < num_options; ++i) {
    if (options[i] == JitOption::kErrorLogBuffer)
      buffer = static_cast<char*>(values[i]);
    if (options[i] == JitOption::kErrorLogBufferBytes)
      bytes = reinterpret_cast<size_t>(values[i]);
  }
  if (buffer != nullptr && bytes > 0)
    std::snprintf(buffer, bytes, "%s", text.c_str());
}

// Machine code runs on its own generation, from its own number on.
bool RunsHere(int capability) {
  const auto& settings = standin::GetSettings();
  return capability / 10 == settings.capability_major &&
         capability % 10 <= settings.capability_minor;
}

// The arguments of a launch, copied when it is enqueued.
struct Arguments {
  std::vector<char> bytes;
  std::vector<size_t> offsets;

  Arguments(const StandInEntry& entry, void* const* values) {
    for (unsigned i = 0; i < entry.num_parameters; ++i) {
      offsets.push_back(bytes.size());
      const char* const value = static_cast<const char*>(values[i]);
      bytes.insert(bytes.end(), value, value + entry.parameter_bytes[i]);
      bytes.resize((bytes.size() + kArgumentAlignment - 1) /
                   kArgumentAlignment * kArgumentAlignment);
    }
  }
  std::vector<void*> Pointers() {
    std::vector<void*> pointers;
    for (const size_t offset : offsets) pointers.push_back(&bytes[offset]);
    return pointers;
  }
};

Result CheckLaunch(const FunctionObject& function, const StandInDim& grid,
                   const StandInDim& block, unsigned shared_bytes) {
  const bool has_grid = grid.x > 0 && grid.y > 0 && grid.z > 0 &&
                        grid.x <= 0x7fffffff && grid.y <= 65535 &&
                        grid.z <= 65535;
  const bool has_block = block.x > 0 && block.y > 0 && block.z > 0 &&
                         block.x <= kMostThreads && block.y <= kMostThreads &&
                         block.z <= 64 &&
                         block.x * block.y * block.z <= kMostThreads;
  if (!has_grid || !has_block ||
      shared_bytes > static_cast<unsigned>(function.most_dynamic_shared))
    return Result::kInvalidValue;
  return Result::kSuccess;
}

}  // namespace

MR_STANDIN_EXPORT Result cuModuleLoadDataEx(Module* module, const void* bytes,
                                            unsigned num_options,
                                            JitOption* options, void** values) {
  MR_STANDIN_BEGIN(cuModuleLoadDataEx);
  ContextObject* context = nullptr;
  {
    const StateLock lock(GetState().mu);
    const Result result = standin::NeedContext(&context);
    if (result != Result::kSuccess) return result;
  }
  standin::Image image;
  if (bytes == nullptr || !standin::ReadImage(bytes, &image))
    return Result::kInvalidImage;
  if (!image.text.empty()) {
    const standin::Compiled compiled =
        standin::CompileDeviceText(image.text, image.options);
    WriteErrorLog(num_options, options, values, compiled.log);
    if (!compiled.ok) return Result::kInvalidPtx;
    image.library = compiled.library;
  } else if (!RunsHere(image.capability)) {
    WriteErrorLog(num_options, options, values, "made for another device");
    return Result::kNoBinaryForGpu;
  }
  auto made = std::make_unique<ModuleObject>();
  made->context = context;
  made->library = LoadLibrary(image.library);
  if (made->library == nullptr) return Result::kInvalidImage;
  made->module =
      static_cast<const StandInModule*>(dlsym(made->library, "standin_module"));
  if (made->module == nullptr) return Result::kInvalidImage;
  const StateLock lock(GetState().mu);
  made->number = ++GetState().modules;
  GetState().objects.insert(made.get());
  *module = made.release();
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuModuleUnload(Module module) {
  MR_STANDIN_BEGIN(cuModuleUnload);
  StateLock lock(GetState().mu);
  if (!Exists(GetState(), module)) return Result::kInvalidHandle;
  GetState().objects.erase(module);
  ContextObject* const context = module->context;
  standin::WaitForContext(lock, context);
  for (const auto& function : module->functions)
    GetState().objects.erase(function.get());
  dlclose(module->library);
  delete module;
  return context->error;
}

MR_STANDIN_EXPORT Result cuModuleGetFunction(Function* function, Module module,
                                             const char* name) {
  MR_STANDIN_BEGIN(cuModuleGetFunction);
  const StateLock lock(GetState().mu);
  ContextObject* context = nullptr;
  const Result result = standin::NeedContext(&context);
  if (result != Result::kSuccess) return result;
  if (!Exists(GetState(), module)) return Result::kInvalidHandle;
  for (unsigned i = 0; i < module->module->num_entries; ++i) {
    const StandInEntry* entry = module->module->entries[i];
    if (std::strcmp(entry->name, name) != 0) continue;
    auto made = std::make_unique<FunctionObject>();
    made->module = module;
    made->entry = entry;
    *function = made.get();
    GetState().objects.insert(made.get());
    module->functions.push_back(std::move(made));
    return Result::kSuccess;
  }
  return Result::kNotFound;
}

MR_STANDIN_EXPORT Result cuFuncGetAttribute(int* value,
                                            FunctionAttribute attribute,
                                            Function function) {
  MR_STANDIN_BEGIN(cuFuncGetAttribute);
  const StateLock lock(GetState().mu);
  if (!Exists(GetState(), function)) return Result::kInvalidHandle;
  switch (attribute) {
    case FunctionAttribute::kMaxThreadsPerBlock:
      *value = kMostThreads;
      return Result::kSuccess;
    case FunctionAttribute::kSharedBytes:
    case FunctionAttribute::kLocalBytes:
      *value = 0;
      return Result::kSuccess;
    case FunctionAttribute::kRegisters:
      *value = 32;
      return Result::kSuccess;
    case FunctionAttribute::kMaxDynamicSharedBytes:
      *value = function->most_dynamic_shared;
      return Result::kSuccess;
  }
  return Result::kInvalidValue;
}

MR_STANDIN_EXPORT Result cuFuncSetAttribute(Function function,
                                            FunctionAttribute attribute,
                                            int value) {
  MR_STANDIN_BEGIN(cuFuncSetAttribute);
  const StateLock lock(GetState().mu);
  if (!Exists(GetState(), function)) return Result::kInvalidHandle;
  if (attribute != FunctionAttribute::kMaxDynamicSharedBytes || value < 0 ||
      value > 99 << 10)
    return Result::kInvalidValue;
  function->most_dynamic_shared = value;
  return Result::kSuccess;
}

MR_STANDIN_EXPORT Result cuLaunchKernel(Function function, unsigned grid_x,
                                        unsigned grid_y, unsigned grid_z,
                                        unsigned block_x, unsigned block_y,
                                        unsigned block_z, unsigned shared_bytes,
                                        Stream stream, void** arguments,
                                        void** extra) {
  MR_STANDIN_BEGIN(cuLaunchKernel);
  const StateLock lock(GetState().mu);
  ContextObject* context = nullptr;
  Result result = standin::NeedContext(&context);
  if (result != Result::kSuccess) return result;
  if (!Exists(GetState(), function) || !Exists(GetState(), stream) ||
      stream->context != context || function->module->context != context)
    return Result::kInvalidHandle;
  standin::Launch launch;
  launch.module = function->module->module;
  launch.module_number = function->module->number;
  launch.entry = function->entry;
  launch.grid = {grid_x, grid_y, grid_z};
  launch.block = {block_x, block_y, block_z};
  launch.shared_bytes = shared_bytes;
  result = CheckLaunch(*function, launch.grid, launch.block, shared_bytes);
  if (result != Result::kSuccess || extra != nullptr)
    return Result::kInvalidValue;
  auto copied = std::make_shared<Arguments>(*launch.entry, arguments);
  standin::Work work;
  work.run = [launch, copied]() mutable {
    const int failed = standin::CountCall("kernel");
    if (failed != 0) return static_cast<Result>(failed);
    const StandInDim& grid = launch.grid;
    standin::AddCount(
        std::string("blocks of ") + launch.entry->name,
        static_cast<unsigned long long>(grid.x) * grid.y * grid.z);
    const std::vector<void*> pointers = copied->Pointers();
    launch.arguments = pointers.data();
    return static_cast<Result>(standin::RunGrid(launch));
  };
  standin::Enqueue(stream, std::move(work));
  return Result::kSuccess;
}

}  // namespace millrace::cuda
