// ModuleCache: the compiled texts of a card.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "millrace/base/status.h"
#include "millrace/base/threads/thread.h"
#include "millrace/device/cuda/code_files.h"
#include "millrace/device/cuda/driver.h"
#include "millrace/device/cuda/nvrtc.h"

namespace millrace::cuda {

class Card;
class Gpu;

// A text to compile.
struct ModuleText {
  // All behind the prelude, whose templates have parameters with names of
  // defines, too.
  std::string text;
  std::string name;     // of the source, "elementwise/unary.gpu.cu"
  std::string defines;  // "T=float OP=Tanh", for messages
  // Names the text within the process; empty for one that was generated.
  std::string constant;
};

// A module in the memory of a card.
struct LoadedModule {
  Module module = nullptr;
};
// A module stays loaded while somebody holds one.
using SharedModule = std::shared_ptr<const LoadedModule>;

// Thread-safe. Keeps the modules of constant texts until it is destroyed, when
// nothing runs on the card. Of generated texts, which other graphs may never
// need again, it keeps those that somebody holds and kMaxUnused others; beyond
// that what nobody has held for the longest time is unloaded.
class ModuleCache {
 public:
  static constexpr size_t kMaxUnused = 32;

  // Uses the compiler and the folder of the process.
  explicit ModuleCache(Card& card);
  ~ModuleCache();

  // Returns the module of a text: from memory, from disk, or compiled. Threads
  // that ask for the same one wait for the first. Errors are not kept.
  //
  // `user` is the GPU whose computing stream runs a generated module: when the
  // holder lets it go, the module is still in use by what is enqueued there. It
  // must outlive the holder; null for a constant text.
  StatusOr<SharedModule> Load(const ModuleText& text, Gpu* user);
  // Returns the module of a constant text (ModuleText::constant) that was
  // loaded before; null if none was.
  SharedModule Find(const std::string& constant);

  struct Stats {
    int64_t from_memory = 0;
    int64_t from_disk = 0;
    int64_t compiled = 0;
  };
  Stats stats() const;

 private:
  struct Entry {
    explicit Entry(std::string k) : key(std::move(k)) {}
    const std::string key;
    Notification ready;
    Status status;
    LoadedModule module;
    int users = 0;  // of a generated text; guarded by mu_
  };
  // Returns the entry of a key, which `user` (null: nobody) uses from now on,
  // and whether it is new, so that the caller has to load it.
  std::pair<std::shared_ptr<Entry>, bool> Take(const std::string& key,
                                               Gpu* user);
  // Ends a use behind which no work is left.
  void Release(const std::shared_ptr<Entry>& entry);
  // Returns the module, whose use ends when nobody holds what this returns.
  SharedModule Share(const std::shared_ptr<Entry>& entry, Gpu* user);
  StatusOr<LoadedModule> LoadNew(const Nvrtc& nvrtc, const ModuleText& text,
                                 const std::string& key,
                                 const CompileTarget& target);
  StatusOr<LoadedModule> LoadCode(const std::string& code);
  void Count(int64_t Stats::*counter);

  Card& card_;
  mutable Mutex mu_;
  absl::flat_hash_map<std::string, std::shared_ptr<Entry>> entries_;
  absl::flat_hash_map<std::string, SharedModule> constants_;
  // Modules of generated texts without users, the one that was released first
  // in front.
  std::deque<std::shared_ptr<Entry>> unused_;
  Stats stats_;
};

// Returns the files of compiled code of this process.
CodeFiles& ProcessCodeFiles();

}  // namespace millrace::cuda
