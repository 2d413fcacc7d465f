#include "millrace/rpc/grpc/slices.h"

#include <grpcpp/support/slice.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/memory/memory_budget.h"
#include "millrace/rpc/grpc/inflate.h"

namespace millrace {
namespace {

constexpr int64_t kMinCountedBytes = 64 << 10;

// What the chunks of a message share: its slices, and its share of the memory
// budget. A slice may be memory of gRPC's quota; returning that wakes the
// waiters, which crashes on a thread that is not in gRPC's code (1.51). The
// destructor of a byte buffer enters gRPC's code, so slices are freed through
// one.
class Message final : public RefCounted {
 public:
  // Requires: `counted_bytes` are reserved in the memory budget.
  Message(const std::vector<grpc::Slice>& slices, int64_t counted_bytes)
      : slices_(slices.data(), slices.size()), counted_bytes_(counted_bytes) {}
  ~Message() override {
    slices_.Clear();
    if (counted_bytes_ > 0) MemoryBudget::Process().Release(counted_bytes_);
  }

 private:
  grpc::ByteBuffer slices_;
  const int64_t counted_bytes_;
};

class SliceBuffer final : public Buffer {
 public:
  SliceBuffer(const grpc::Slice& slice, Ref<Message> message)
      : Buffer(nullptr, slice.size()),
        message_(std::move(message)),
        slice_(slice) {
    // Short slices store their bytes inline, so the pointer is to our copy.
    // Nothing else reads these bytes once the message is delivered.
    data_ = reinterpret_cast<char*>(const_cast<uint8_t*>(slice_.begin()));
  }

 private:
  const Ref<Message> message_;  // destroyed after the slice
  const grpc::Slice slice_;
};

void ReleaseOwner(void* owner) { static_cast<Buffer*>(owner)->Unref(); }

}  // namespace

Status CheckFits(const ByteChunks& message) {
  const uint64_t size = message.size_bytes();
  if (size <= std::numeric_limits<uint32_t>::max()) return OkStatus();
  return ResourceExhausted("a message of ", size,
                           " bytes is too large for gRPC, whose messages have "
                           "at most 4294967295: split the tensor");
}

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
  const grpc_compression_algorithm compression = CompressionOf(*buffer);
  if (compression != GRPC_COMPRESS_NONE) return Inflate(buffer, compression);
  const auto size = static_cast<int64_t>(buffer->Length());
  grpc::Slice only;
  if (size < static_cast<int64_t>(kMinSharedSliceBytes) &&
      buffer->TrySingleSlice(&only).ok()) {
    // To copy a small message costs less than to share it.
    std::string copy(reinterpret_cast<const char*>(only.begin()), only.size());
    only = grpc::Slice();
    buffer->Clear();
    return ByteChunks(std::move(copy));
  }
  const int64_t counted = size < kMinCountedBytes ? 0 : size;
  if (counted > 0) {
    const Status status = MemoryBudget::Process().Reserve(counted, "a message");
    if (!status.ok()) {
      buffer->Clear();
      return status;
    }
  }
  Ref<Message> message;  // destroyed after the slices
  std::vector<grpc::Slice> slices;
  const bool readable = buffer->Dump(&slices).ok();
  message = MakeRef<Message>(slices, counted);
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
