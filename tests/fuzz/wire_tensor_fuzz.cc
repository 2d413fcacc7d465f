// Rooms: tensor
// Any bytes as a TensorProto: an error, or a tensor that survives the way out
// and back. The first byte says how the message is cut into chunks.
#include <cstdint>
#include <cstring>

#include "millrace/base/check.h"
#include "millrace/tensor/wire.h"

namespace {

using namespace millrace;

// No tensor of a small message may need more than this in one piece.
class LimitAllocator : public Allocator {
 public:
  absl::string_view name() const override { return "fuzz"; }
  StatusOr<Ref<Buffer>> Allocate(size_t size_bytes) override {
    if (size_bytes > (size_t{1} << 24)) {
      return ResourceExhausted("OOM when allocating ", size_bytes, " bytes");
    }
    return HostAllocator()->Allocate(size_bytes);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t step = data[0];
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1,
                                size - 1);
  LimitAllocator allocator;
  StatusOr<Tensor> tensor = DecodeTensor(bytes, &allocator);

  ByteChunks chunks;
  for (size_t at = 0; at < bytes.size();) {
    const size_t n =
        step == 0 ? bytes.size() : std::min(step, bytes.size() - at);
    chunks.Append(std::string(bytes.substr(at, n)));
    at += n;
  }
  StatusOr<Tensor> cut = DecodeTensor(ChunkReader(chunks), &allocator);
  MR_CHECK(tensor.status().code() == cut.status().code());
  if (!tensor.ok()) return 0;
  if (tensor->dtype() == DataType::kResource) return 0;
  MR_CHECK(IdenticalTensors(*tensor, *cut));

  for (StringForm form : {StringForm::kValues, StringForm::kContent}) {
    StatusOr<size_t> encoded_size = EncodedTensorSize(*tensor, form);
    StatusOr<ByteChunks> encoded = EncodeTensor(*tensor, form);
    MR_CHECK(encoded.ok() && *encoded_size == encoded->size_bytes());
    StatusOr<Tensor> back = DecodeTensor(ChunkReader(*encoded), &allocator);
    MR_CHECK(back.ok() && IdenticalTensors(*tensor, *back));
  }
  return 0;
}
