// ModuleCache: the compiled texts of a card.
#pragma once

#include <memory>
#include <string>
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

// A module in the memory of a card. Belongs to the card's cache.
struct LoadedModule {
  Module module = nullptr;
};

// Thread-safe. Keeps all modules until it is destroyed, when nothing runs on
// the card.
class ModuleCache {
 public:
  // Uses the compiler and the folder of the process.
  explicit ModuleCache(Card& card);
  ~ModuleCache();

  // Returns the module of a text: from memory, from disk, or compiled. Threads
  // that ask for the same one wait for the first. Errors are not kept.
  StatusOr<const LoadedModule*> Load(const ModuleText& text);
  // Returns the module of a constant text (ModuleText::constant) that was
  // loaded before; null if none was.
  const LoadedModule* Find(const std::string& constant);

  struct Stats {
    int64_t from_memory = 0;
    int64_t from_disk = 0;
    int64_t compiled = 0;
  };
  Stats stats() const;

 private:
  struct Entry {
    Notification ready;
    Status status;
    LoadedModule module;
  };
  StatusOr<LoadedModule> LoadNew(const Nvrtc& nvrtc, const ModuleText& text,
                                 const std::string& key,
                                 const CompileTarget& target);
  StatusOr<LoadedModule> LoadCode(const std::string& code);
  void Count(int64_t Stats::*counter);

  Card& card_;
  mutable Mutex mu_;
  absl::flat_hash_map<std::string, std::shared_ptr<Entry>> entries_;
  absl::flat_hash_map<std::string, const LoadedModule*> constants_;
  Stats stats_;
};

// Returns the files of compiled code of this process.
CodeFiles& ProcessCodeFiles();

}  // namespace millrace::cuda
