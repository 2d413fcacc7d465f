#include "millrace/rpc/grpc/slices.h"

#include <grpcpp/support/slice.h>

#include <string>
#include <utility>
#include <vector>

#include "millrace/base/memory_budget.h"

namespace millrace {
namespace {

constexpr size_t kMinCountedBytes = 64 << 10;

// The share of one message in the memory budget.
class Charge final : public RefCounted {
 public:
  Charge(MemoryBudget& budget, int64_t bytes)
      : budget_(budget), bytes_(bytes) {}
  ~Charge() override { budget_.Release(bytes_); }

 private:
  MemoryBudget& budget_;
  const int64_t bytes_;
};

class SliceBuffer final : public Buffer {
 public:
  SliceBuffer(const grpc::Slice& slice, Ref<Charge> charge)
      : Buffer(nullptr, slice.size()),
        slice_(slice),
        charge_(std::move(charge)) {
    // Short slices hold their bytes in themselves, so it is our copy that
    // counts. Nobody else reads these bytes once the message is delivered.
    data_ = reinterpret_cast<char*>(const_cast<uint8_t*>(slice_.begin()));
  }

 private:
  const grpc::Slice slice_;
  const Ref<Charge> charge_;
};

void ReleaseOwner(void* owner) { static_cast<Buffer*>(owner)->Unref(); }

}  // namespace

grpc::ByteBuffer ToByteBuffer(const ByteChunks& bytes) {
  std::vector<grpc::Slice> slices;
  std::string small;
  const auto flush = [&] {
    if (!small.empty()) slices.emplace_back(small.data(), small.size());
    small.clear();
  };
  for (const Chunk& c : bytes.chunks()) {
    if (!c.owner || c.bytes.size() < kMinSharedSliceBytes) {
      small.append(c.bytes.data(), c.bytes.size());
      continue;
    }
    flush();
    Ref<Buffer> owner = c.owner;
    slices.emplace_back(const_cast<char*>(c.bytes.data()), c.bytes.size(),
                        ReleaseOwner, owner.release());
  }
  flush();
  return grpc::ByteBuffer(slices.data(), slices.size());
}

StatusOr<ByteChunks> TakeBytes(grpc::ByteBuffer* buffer) {
  const size_t size = buffer->Length();
  Ref<Charge> charge;
  if (size >= kMinCountedBytes) {
    MemoryBudget& budget = MemoryBudget::Process();
    const Status status =
        budget.Reserve(static_cast<int64_t>(size), "a message");
    if (!status.ok()) {
      buffer->Clear();
      return status;
    }
    charge = MakeRef<Charge>(budget, static_cast<int64_t>(size));
  }
  std::vector<grpc::Slice> slices;
  const bool readable = buffer->Dump(&slices).ok();
  buffer->Clear();
  if (!readable) return DataLoss("gRPC could not read a message");
  ByteChunks bytes;
  for (const grpc::Slice& slice : slices) {
    const auto owner = MakeRef<SliceBuffer>(slice, charge);
    bytes.Append(owner, {owner->data(), owner->size_bytes()});
  }
  return bytes;
}

}  // namespace millrace
