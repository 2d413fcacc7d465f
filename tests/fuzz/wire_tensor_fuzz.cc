// Rooms: tensor
// Any bytes as a TensorProto: an error, or a tensor that survives the way out
// and back. The first byte says how the message is cut into chunks.
#include <cstdint>
#include <cstring>

#include "millrace/base/check.h"
#include "millrace/tensor/wire.h"

namespace {

using namespace millrace;

// A small message needs no more than this in all.
class LimitAllocator : public Allocator {
 public:
  absl::string_view name() const override { return "fuzz"; }
  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override {
    constexpr size_t kLimit = size_t{1} << 24;
    if (size_bytes > kLimit || used_ + size_bytes > kLimit) {
      return ResourceExhausted("OOM when allocating ", size_bytes, " bytes");
    }
    used_ += size_bytes;
    return HostAllocator()->Allocate(size_bytes);
  }

 private:
  size_t used_ = 0;
};

StatusOr<Tensor> DecodeWithinLimit(ChunkReader in) {
  LimitAllocator allocator;
  return DecodeTensor(in, &allocator);
}

// Returns true if memory ran out, which happens later where contents are
// shared.
bool IsTooLarge(const StatusOr<Tensor>& t) {
  return t.status().code() == StatusCode::kResourceExhausted;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t step = data[0];
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                                size - 1);
  StatusOr<Tensor> tensor = DecodeWithinLimit(ChunkReader(bytes));

  ByteChunks chunks;
  for (size_t at = 0; at < bytes.size();) {
    const size_t n =
        step == 0 ? bytes.size() : std::min(step, bytes.size() - at);
    chunks.Append(std::string(bytes.substr(at, n)));
    at += n;
  }
  StatusOr<Tensor> cut = DecodeWithinLimit(ChunkReader(chunks));
  if (IsTooLarge(tensor) || IsTooLarge(cut)) return 0;
  MR_CHECK(tensor.status().code() == cut.status().code());
  if (!tensor.ok()) return 0;
  // variant_fuzz compares variants.
  if (tensor->dtype() == DataType::kResource ||
      tensor->dtype() == DataType::kVariant) {
    return 0;
  }
  MR_CHECK(IdenticalTensors(*tensor, *cut));

  for (StringForm form : {StringForm::kValues, StringForm::kContent}) {
    StatusOr<size_t> encoded_size = EncodedTensorSize(*tensor, form);
    StatusOr<ByteChunks> encoded = EncodeTensor(*tensor, form);
    MR_CHECK(encoded.ok() && *encoded_size == encoded->size_bytes());
    StatusOr<Tensor> back = DecodeWithinLimit(ChunkReader(*encoded));
    MR_CHECK(back.ok() && IdenticalTensors(*tensor, *back));
  }
  return 0;
}
