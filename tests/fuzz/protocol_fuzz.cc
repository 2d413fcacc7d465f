// Rooms: protocol
// Any bytes as any message: an error, or a message that stays the same over
// two more trips. The first byte chooses the message.
#include <cstdint>

#include "millrace/base/check.h"
#include "millrace/base/memory/memory_budget.h"
#include "millrace/protocol/codec.h"

namespace {

using namespace millrace;

template <class M>
void Check(absl::string_view bytes) {
  M first;
  if (!Decode(ByteChunks::Borrow(bytes), &first).ok()) return;
  StatusOr<ByteChunks> a = Encode(first);
  MR_CHECK(a.ok(), a.status().message());
  M second;
  Status status = Decode(*a, &second);
  MR_CHECK(status.ok(), status.message());
  StatusOr<ByteChunks> b = Encode(second);
  MR_CHECK(b.ok() && a->Flatten() == b->Flatten());
}

using CheckFunction = void (*)(absl::string_view);
#define MR_ENTRY(Name) Check<Name##Request>, Check<Name##Reply>,
constexpr CheckFunction kChecks[] = {
    MR_MASTER_METHODS(MR_ENTRY) MR_WORKER_METHODS(MR_ENTRY)
        MR_PEER_METHODS(MR_ENTRY) MR_ADMIN_METHODS(MR_ENTRY)};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  static const bool limited = [] {
    MemoryBudget::Process().set_limit(int64_t{1} << 28);
    return true;
  }();
  (void)limited;
  kChecks[data[0] % std::size(kChecks)](
      {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
