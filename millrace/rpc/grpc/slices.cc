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
class Charge {
 public:
  Charge() = default;
  Charge(MemoryBudget& budget, int64_t bytes)
      : budget_(&budget), bytes_(bytes) {}
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;
  ~Charge() {
    if (budget_ != nullptr) budget_->Release(bytes_);
  }

 private:
  MemoryBudget* const budget_ = nullptr;
  const int64_t bytes_ = 0;
};

// What a message's chunks share. Its slices end here: a slice may be memory of
// gRPC's quota, and to give that back wakes who waits for it, which crashes on
// a thread that is not in gRPC's code (1.51). The end of a byte buffer is.
class Message final : public RefCounted {
 public:
  explicit Message(const std::vector<grpc::Slice>& slices)
      : slices_(slices.data(), slices.size()) {}
  Message(const std::vector<grpc::Slice>& slices, MemoryBudget& budget,
          int64_t bytes)
      : charge_(budget, bytes), slices_(slices.data(), slices.size()) {}

 private:
  const Charge charge_;
  const grpc::ByteBuffer slices_;
};

class SliceBuffer final : public Buffer {
 public:
  SliceBuffer(const grpc::Slice& slice, Ref<Message> message)
      : Buffer(nullptr, slice.size()),
        message_(std::move(message)),
        slice_(slice) {
    // Short slices hold their bytes in themselves, so it is our copy that
    // counts. Nobody else reads these bytes once the message is delivered.
    data_ = reinterpret_cast<char*>(const_cast<uint8_t*>(slice_.begin()));
  }

 private:
  const Ref<Message> message_;  // ends behind the slice
  const grpc::Slice slice_;
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
  MemoryBudget& budget = MemoryBudget::Process();
  const bool counts = size >= kMinCountedBytes;
  if (counts) {
    const Status status =
        budget.Reserve(static_cast<int64_t>(size), "a message");
    if (!status.ok()) {
      buffer->Clear();
      return status;
    }
  }
  Ref<Message> message;  // ends behind the slices
  std::vector<grpc::Slice> slices;
  const bool readable = buffer->Dump(&slices).ok();
  message = counts
                ? MakeRef<Message>(slices, budget, static_cast<int64_t>(size))
                : MakeRef<Message>(slices);
  buffer->Clear();
  if (!readable) return DataLoss("gRPC could not read a message");
  ByteChunks bytes;
  for (const grpc::Slice& slice : slices) {
    const auto owner = MakeRef<SliceBuffer>(slice, message);
    bytes.Append(owner, {owner->data(), owner->size_bytes()});
  }
  return bytes;
}

}  // namespace millrace
