// What a test chooses about the stand-in: by environment variables, which the
// driver's cuInit reads, and some of it later by a control function.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace millrace::cuda::standin {

struct Settings {
  // ---- Fixed by the first cuInit.
  struct Card {
    int number;  // of the machine's cards
    std::string name, uuid, bus_id;
    size_t memory_bytes;
  };
  // Cards that CUDA_VISIBLE_DEVICES shows, in its order.
  std::vector<Card> cards;
  int capability_major = 8, capability_minor = 0;
  std::string shared_counts;      // file of MILLRACE_STANDIN_CARDS; empty: none
  int threads = 2;                // of the machine that run blocks of a kernel
  int64_t deadline_ms = 120'000;  // of waits of the host

  // ---- Changed by millraceStandInSet, too.
  // Whether memory of a device cannot be accessed while nothing runs there.
  std::atomic<bool> strict{false};
  // Other than 0: streams work as late as waits and queries allow.
  std::atomic<uint64_t> lazy_seed{0};
  // Other than 0: threads of a block take turns in a mixed order.
  std::atomic<uint64_t> thread_seed{0};
};

// Returns the settings of the process; cards are read at the first call.
Settings& GetSettings();

// Changes "strict", "lazy" or "seed"; returns false for another name.
bool ChangeSetting(const std::string& name, const std::string& value);

// Returns whether MILLRACE_STANDIN_FMA is 1: device text multiplies and adds at
// once where it may, as GPUs do.
bool FusesMultiplyAdds();

// Returns the variable MILLRACE_STANDIN_<name>, or `otherwise`.
std::string Variable(const char* name, const char* otherwise);

}  // namespace millrace::cuda::standin
