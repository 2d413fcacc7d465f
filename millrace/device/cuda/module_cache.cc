#include "millrace/device/cuda/module_cache.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "millrace/base/clock.h"
#include "millrace/base/hash/md5.h"
#include "millrace/base/log.h"
#include "millrace/device/cuda/card.h"
#include "millrace/device/cuda/gpu.h"
#include "millrace/device/cuda/gpu_source.h"

MR_GPU_SOURCE(device_prelude);

namespace millrace::cuda {
namespace {

// How long a thread waits for another one that compiles the same text.
constexpr int64_t kCompileMillis = 120'000;

std::string ModuleKey(const Nvrtc& nvrtc, int driver_version,
                      const CompileTarget& target, const ModuleText& text) {
  // The prelude is ten times as long as most texts.
  static const std::string* const prelude =
      new std::string(Md5Hex(MR_GPU_SOURCE_OF(device_prelude).text));
  return Md5Hex(absl::StrCat(nvrtc.major, ".", nvrtc.minor, "\n",
                             driver_version, "\n",
                             absl::StrJoin(CompileOptions(target), " "), "\n",
                             *prelude, "\n", text.text));
}

std::string WhatIsCompiled(const ModuleText& text) {
  return absl::StrCat(text.name, text.defines.empty() ? "" : " with ",
                      text.defines);
}

}  // namespace

CodeFiles& ProcessCodeFiles() {
  static constinit Mutex mu;
  static constinit CodeFiles* files = nullptr;
  MutexLock lock(mu);
  if (files == nullptr) {
    files = new CodeFiles(PosixFiles(), CodeFiles::DefaultFolder(),
                          CodeFiles::kDefaultLimitBytes);
  }
  return *files;
}

ModuleCache::ModuleCache(Card& card) : card_(card) {}

ModuleCache::~ModuleCache() {
  for (const auto& [key, entry] : entries_) {
    if (entry->module.module != nullptr) {
      (void)card_.driver().ModuleUnload(entry->module.module);
    }
  }
}

SharedModule ModuleCache::Find(const std::string& constant) {
  MutexLock lock(mu_);
  const auto it = constants_.find(constant);
  if (it == constants_.end()) return nullptr;
  ++stats_.from_memory;
  return it->second;
}

std::pair<std::shared_ptr<ModuleCache::Entry>, bool> ModuleCache::Take(
    const std::string& key, Gpu* user) {
  MutexLock lock(mu_);
  std::shared_ptr<Entry>& entry = entries_[key];
  const bool is_new = entry == nullptr;
  if (is_new) {
    entry = std::make_shared<Entry>(key);
  } else {
    ++stats_.from_memory;
  }
  if (user != nullptr && ++entry->users == 1 && !is_new) {
    unused_.erase(std::find(unused_.begin(), unused_.end(), entry));
  }
  return {entry, is_new};
}

void ModuleCache::Release(const std::shared_ptr<Entry>& entry) {
  std::shared_ptr<Entry> oldest;
  {
    MutexLock lock(mu_);
    if (--entry->users > 0) return;
    unused_.push_back(entry);
    if (unused_.size() <= kMaxUnused) return;
    oldest = std::move(unused_.front());
    unused_.pop_front();
    entries_.erase(oldest->key);
  }
  // What these return is of no use to anybody.
  (void)card_.driver().CtxSetCurrent(card_.context());
  (void)card_.driver().ModuleUnload(oldest->module.module);
}

SharedModule ModuleCache::Share(const std::shared_ptr<Entry>& entry,
                                Gpu* user) {
  if (user == nullptr) return SharedModule(entry, &entry->module);
  return SharedModule(&entry->module, [this, entry, user](const LoadedModule*) {
    // Its last work may be on its way.
    user->WhenIdle([this, entry, card = card_.shared_from_this()](Status) {
      Release(entry);
    });
  });
}

StatusOr<SharedModule> ModuleCache::Load(const ModuleText& text, Gpu* user) {
  if (!text.constant.empty()) user = nullptr;
  MR_ASSIGN_OR_RETURN(const Nvrtc* const nvrtc,
                      ProcessNvrtc(card_.driver().version));
  MR_ASSIGN_OR_RETURN(
      const CompileTarget target,
      TargetFor(*nvrtc, 10 * card_.facts().major + card_.facts().minor));
  const std::string key =
      ModuleKey(*nvrtc, card_.driver().version, target, text);
  const auto [entry, is_new] = Take(key, user);
  if (!is_new) {
    if (!entry->ready.WaitUntil(Deadline::AfterMillis(kCompileMillis))) {
      if (user != nullptr) Release(entry);
      return DeadlineExceeded("another thread compiles ", WhatIsCompiled(text),
                              " for more than ", kCompileMillis / 1000, " s");
    }
    MR_RETURN_IF_ERROR(entry->status);
    return Share(entry, user);
  }
  StatusOr<LoadedModule> module = LoadNew(*nvrtc, text, key, target);
  if (module.ok()) {
    entry->module = *module;
  } else {
    entry->status = module.status();
    MutexLock lock(mu_);
    entries_.erase(key);
  }
  entry->ready.Notify();
  MR_RETURN_IF_ERROR(entry->status);
  SharedModule shared = Share(entry, user);
  if (!text.constant.empty()) {
    MutexLock lock(mu_);
    constants_[text.constant] = shared;
  }
  return shared;
}

StatusOr<LoadedModule> ModuleCache::LoadNew(const Nvrtc& nvrtc,
                                            const ModuleText& text,
                                            const std::string& key,
                                            const CompileTarget& target) {
  CodeFiles& files = ProcessCodeFiles();
  if (const auto code = files.Read(key)) {
    StatusOr<LoadedModule> module = LoadCode(*code);
    if (module.ok()) {
      Count(&Stats::from_disk);
      return module;
    }
    MR_RETURN_IF_ERROR(card_.error());
    MR_LOG(Warning) << "compiled anew is " << WhatIsCompiled(text)
                    << ", whose file the driver refuses: " << module.status();
  }
  const StatusOr<std::string> code =
      Compile(nvrtc, target,
              absl::StrCat("#line 1 \"prelude\"\n",
                           MR_GPU_SOURCE_OF(device_prelude).text, text.text),
              text.name);
  if (!code.ok()) {
    if (code.status().code() != StatusCode::kInvalidArgument) {
      return Annotate(code.status(),
                      absl::StrCat("; compiled was ", WhatIsCompiled(text)));
    }
    return Internal(
        "a kernel for GPUs cannot be compiled: ", WhatIsCompiled(text), " for ",
        CompileOptions(target)[0], ":\n", code.status().message());
  }
  StatusOr<LoadedModule> module = LoadCode(*code);
  if (!module.ok()) {
    return Annotate(module.status(),
                    absl::StrCat("; compiled was ", WhatIsCompiled(text)));
  }
  Count(&Stats::compiled);
  files.Write(key, *code);
  return module;
}

StatusOr<LoadedModule> ModuleCache::LoadCode(const std::string& code) {
  MR_RETURN_IF_ERROR(card_.Use());
  char log[4096] = "";
  JitOption options[] = {JitOption::kErrorLogBuffer,
                         JitOption::kErrorLogBufferBytes};
  void* values[] = {log, reinterpret_cast<void*>(sizeof(log))};
  LoadedModule module;
  const Result result = card_.driver().ModuleLoadDataEx(
      &module.module, code.data(), 2, options, values);
  const Status status = card_.Check(result, "cuModuleLoadDataEx");
  if (status.ok()) return module;
  if (result == Result::kUnsupportedPtxVersion) {
    return Annotate(status, "; the driver is older than the compiler (NVRTC)");
  }
  log[sizeof(log) - 1] = '\0';
  return log[0] == '\0' ? status : Annotate(status, absl::StrCat(": ", log));
}

void ModuleCache::Count(int64_t Stats::*counter) {
  MutexLock lock(mu_);
  ++(stats_.*counter);
}

ModuleCache::Stats ModuleCache::stats() const {
  MutexLock lock(mu_);
  return stats_;
}

}  // namespace millrace::cuda
