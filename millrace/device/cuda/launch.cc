#include "millrace/device/cuda/launch.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "millrace/device/cuda/cuda_device.h"
#include "millrace/device/cuda/loaded_function.h"
#include "millrace/device/cuda/module_cache.h"
#include "millrace/device/cuda/module_record.h"

namespace millrace {
namespace {

// Grids beyond these are of no use: a walking thread costs nothing.
constexpr int kBlocksPerMultiprocessor = 32;
constexpr int64_t kMostBlocks = (int64_t{1} << 31) - 1;

// Everything but the text, which is long.
cuda::ModuleText NamesOfModule(absl::Span<const GpuSource* const> sources,
                               const std::vector<GpuDefine>& defines) {
  cuda::ModuleText module;
  bool is_constant = true;
  for (const GpuSource* source : sources) {
    absl::StrAppend(&module.name, module.name.empty() ? "" : "+", source->name);
    absl::StrAppend(&module.constant,
                    absl::Hex(reinterpret_cast<uintptr_t>(source->text)), " ");
    is_constant &= !absl::StartsWith(source->name, "generated");
  }
  for (const GpuDefine& define : defines) {
    absl::StrAppend(&module.defines, module.defines.empty() ? "" : " ",
                    define.name, "=", define.value);
    absl::StrAppend(&module.constant, "\n", define.name, " ", define.value);
  }
  if (!is_constant) module.constant.clear();
  return module;
}

std::string TextOfModule(absl::Span<const GpuSource* const> sources,
                         const std::vector<GpuDefine>& defines) {
  std::string text;
  for (const GpuDefine& define : defines) {
    absl::StrAppend(&text, "#define ", define.name, " ", define.value, "\n");
  }
  for (const GpuSource* source : sources) {
    absl::StrAppend(&text, "\n#line 1 \"", source->name, "\"\n", source->text);
  }
  return text;
}

Status InNode(const Status& status, KernelContext& ctx,
              const std::string& what) {
  return Annotate(status, absl::StrCat("; node ", ctx.node().name, ", ", what,
                                       ", on ", ctx.device().name()));
}

}  // namespace

StatusOr<GpuFunction> LoadGpuFunction(
    const KernelInit& init, absl::Span<const GpuSource* const> sources,
    const char* entry, const std::vector<GpuDefine>& defines) {
  MR_ASSIGN_OR_RETURN(cuda::Gpu* const gpu, cuda::GpuOf(init.device()));
  cuda::ModuleText text = NamesOfModule(sources, defines);
  cuda::ModuleCache& modules = gpu->card().modules();
  cuda::SharedModule module =
      text.constant.empty() ? nullptr : modules.Find(text.constant);
  if (module == nullptr) {
    text.text = TextOfModule(sources, defines);
    MR_ASSIGN_OR_RETURN(module, modules.Load(text, gpu));
  }
  cuda::RecordModule(text.name, entry, defines);
  MR_ASSIGN_OR_RETURN(auto function, cuda::LoadedFunction::Make(
                                         gpu->shared_from_this(),
                                         std::move(module), text.name, entry));
  return GpuFunction(std::move(function));
}

Status LoadGpuFunctions(const KernelInit& init,
                        absl::Span<const GpuSource* const> sources,
                        const std::vector<GpuDefine>& defines,
                        std::initializer_list<GpuEntry> entries) {
  for (const GpuEntry& entry : entries) {
    MR_ASSIGN_OR_RETURN(*entry.function,
                        LoadGpuFunction(init, sources, entry.name, defines));
  }
  return OkStatus();
}

const char* GpuTypeName(DataType type) {
  switch (type) {
    case DataType::kFloat:
      return "float";
    case DataType::kDouble:
      return "double";
    case DataType::kHalf:
      return "half";
    case DataType::kBfloat16:
      return "bfloat16";
    case DataType::kInt8:
    case DataType::kQint8:
      return "int8_t";
    case DataType::kUint8:
    case DataType::kQuint8:
      return "uint8_t";
    case DataType::kInt16:
    case DataType::kQint16:
      return "int16_t";
    case DataType::kUint16:
    case DataType::kQuint16:
      return "uint16_t";
    case DataType::kInt32:
    case DataType::kQint32:
      return "int32_t";
    case DataType::kUint32:
      return "uint32_t";
    case DataType::kInt64:
      return "int64_t";
    case DataType::kUint64:
      return "uint64_t";
    case DataType::kBool:
      return "bool";
    case DataType::kComplex64:
      return "complex64";
    case DataType::kComplex128:
      return "complex128";
    default:
      return "void";
  }
}

namespace cuda {

StatusOr<std::shared_ptr<const LoadedFunction>> LoadedFunction::Make(
    std::shared_ptr<Gpu> gpu, SharedModule module, const std::string& source,
    const std::string& entry) {
  MR_RETURN_IF_ERROR(gpu->card().Use());
  std::shared_ptr<LoadedFunction> loaded(new LoadedFunction);
  loaded->name_ = absl::StrCat(entry, " of ", source);
  const Status status =
      gpu->Check(gpu->driver().ModuleGetFunction(&loaded->function_,
                                                 module->module, entry.c_str()),
                 "cuModuleGetFunction");
  if (!status.ok()) {
    return Annotate(status, absl::StrCat("; asked was ", loaded->name_));
  }
  loaded->gpu_ = std::move(gpu);
  loaded->module_ = std::move(module);
  return std::shared_ptr<const LoadedFunction>(std::move(loaded));
}

Status LoadedFunction::AllowShared(int bytes) const {
  if (bytes <= allowed_bytes_.load(std::memory_order_acquire)) {
    return OkStatus();
  }
  const CardFacts& facts = gpu_->card().facts();
  if (bytes > facts.shared_bytes_per_block_optin) {
    return Internal("a function for GPUs asks for ", bytes,
                    " bytes of shared memory; ", gpu_->card().name(), " has ",
                    facts.shared_bytes_per_block_optin);
  }
  int of_text = 0;
  MR_RETURN_IF_ERROR(
      gpu_->Check(gpu_->driver().FuncGetAttribute(
                      &of_text, FunctionAttribute::kSharedBytes, function_),
                  "cuFuncGetAttribute"));
  const int allowed = facts.shared_bytes_per_block_optin - of_text;
  MR_RETURN_IF_ERROR(gpu_->Check(
      gpu_->driver().FuncSetAttribute(
          function_, FunctionAttribute::kMaxDynamicSharedBytes, allowed),
      "cuFuncSetAttribute"));
  allowed_bytes_.store(allowed, std::memory_order_release);
  return OkStatus();
}

namespace {

Status Launch(const LoadedFunction& function, const GpuGrid& grid,
              void** arguments) {
  Gpu& gpu = function.gpu();
  const CardFacts& facts = gpu.card().facts();
  int64_t blocks = grid.blocks;
  if (grid.strided) {
    blocks = std::min<int64_t>(
        blocks, int64_t{facts.multiprocessors} * kBlocksPerMultiprocessor);
  }
  if (blocks > kMostBlocks || grid.threads < 1 || grid.threads > 1024) {
    return Internal("a grid of ", blocks, " blocks of ", grid.threads,
                    " threads; there may be ", kMostBlocks,
                    " blocks of 1 to 1024");
  }
  MR_ASSIGN_OR_RETURN(const ComputeStream stream, gpu.Compute());
  if (grid.shared_bytes > 0) {
    // Without asking, the text's own memory counts, too: the driver knows.
    if (grid.shared_bytes > facts.shared_bytes_per_block / 2) {
      MR_RETURN_IF_ERROR(function.AllowShared(grid.shared_bytes));
    }
  }
  return gpu.Check(gpu.driver().LaunchKernel(
                       function.function(), static_cast<unsigned>(blocks), 1, 1,
                       static_cast<unsigned>(grid.threads), 1, 1,
                       static_cast<unsigned>(grid.shared_bytes), stream.get(),
                       arguments, nullptr),
                   "cuLaunchKernel");
}

}  // namespace
}  // namespace cuda

namespace internal {

Status LaunchGpuFunction(KernelContext& ctx, const GpuFunction& function,
                         const GpuGrid& grid, void** arguments) {
  if (grid.blocks == 0) return OkStatus();
  if (function.get() == nullptr) {
    return Internal("a function for GPUs that was not loaded; node ",
                    ctx.node().name);
  }
  const Status status = cuda::Launch(*function.get(), grid, arguments);
  if (status.ok()) [[likely]]
    return status;
  return InNode(status, ctx, function.get()->name());
}

}  // namespace internal

Status FillGpuBytes(KernelContext& ctx, GpuPointer to, uint8_t value,
                    int64_t bytes) {
  if (bytes == 0) return OkStatus();
  const auto fill = [&]() -> Status {
    MR_ASSIGN_OR_RETURN(cuda::Gpu* const gpu, cuda::GpuOf(ctx.device()));
    MR_ASSIGN_OR_RETURN(const cuda::ComputeStream stream, gpu->Compute());
    return gpu->Check(
        gpu->driver().MemsetD8Async(to.address, value,
                                    static_cast<size_t>(bytes), stream.get()),
        "cuMemsetD8Async");
  };
  const Status status = fill();
  return status.ok() ? status : InNode(status, ctx, "filling memory");
}

StatusOr<Tensor> UploadToGpu(KernelContext& ctx, const void* from,
                             int64_t bytes) {
  MR_ASSIGN_OR_RETURN(cuda::Gpu* const gpu, cuda::GpuOf(ctx.device()));
  MR_ASSIGN_OR_RETURN(Tensor table,
                      ctx.AllocateTemp(DataType::kUint8, TensorShape({bytes})));
  if (bytes == 0) return table;
  const Status status = gpu->Upload(from, static_cast<size_t>(bytes), table);
  if (!status.ok()) return InNode(status, ctx, "copying a table");
  return table;
}

}  // namespace millrace
