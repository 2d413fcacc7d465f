// Rooms: tensor
// Any bytes as the content of a variant tensor: an error, or values of which
// each message gives the same message again. The first byte says how many
// elements the tensor has, the next one how the message is cut into chunks.
#include <cstdint>

#include "millrace/base/check.h"
#include "millrace/tensor/variant/optional_value.h"
#include "millrace/tensor/variant/ragged_value.h"
#include "millrace/tensor/variant/tensor_list_value.h"
#include "millrace/tensor/variant/variant_tensor.h"
#include "millrace/tensor/wire.h"
#include "tests/fuzz/seeds.h"

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

// Returns the bytes in chunks of `step`; 0: in one.
ByteChunks Cut(absl::string_view bytes, size_t step) {
  ByteChunks chunks;
  while (!bytes.empty()) {
    const size_t n = step == 0 ? bytes.size() : std::min(step, bytes.size());
    chunks.Append(std::string(bytes.substr(0, n)));
    bytes.remove_prefix(n);
  }
  return chunks;
}

// Returns an input: `count` elements whose fields are `value`'s.
std::string Seed(const Tensor& value) {
  const std::string message = EncodeTensor(value)->Flatten();
  const auto count = static_cast<char>(value.num_elements());
  // Behind the type and the shape.
  const size_t head = message.find('\x7a');
  return std::string{count, 0} +
         (head == std::string::npos ? "" : message.substr(head));
}

Tensor Of(Ref<VariantValue> value) {
  return Tensor::Scalar<VariantElement>(VariantElement(std::move(value)));
}

}  // namespace

std::vector<std::string> millrace::FuzzSeeds() {
  const Tensor row = Tensor::Vector<float>({1, 2});
  auto list = MakeRef<TensorListValue>(DataType::kFloat, PartialShape({-1}));
  MR_CHECK(list->Resize(3).ok());
  list->Set(1, row);
  const Tensor flat = Of(std::move(list));
  auto outer = MakeRef<TensorListValue>(DataType::kVariant, PartialShape());
  MR_CHECK(outer->Push(flat).ok() && outer->Push(flat).ok());
  return {
      Seed(flat),
      Seed(Of(std::move(outer))),
      Seed(Of(*OptionalValue::Make({row, flat, Tensor::Scalar("text")}))),
      Seed(Of(*OptionalValue::Make({}))),
      Seed(Of(MakeRef<RaggedValue>(
          std::vector<Tensor>{Tensor::Vector<int64_t>({0, 1, 2})}, row))),
      Seed(Of(MakeRef<VariantTensor>(row))),
      Seed(Tensor::New(DataType::kVariant, TensorShape({2}))),
  };
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  ChunkWriter out;
  out.VarintField(1, static_cast<uint64_t>(DataType::kVariant));
  ChunkWriter shape, dim;
  dim.VarintField(1, data[0]);
  shape.NestedField(2, std::move(dim));
  out.NestedField(2, std::move(shape));
  out.Raw({reinterpret_cast<const char*>(data) + 2, size - 2});
  const std::string message = std::move(out).Finish().Flatten();

  const StatusOr<Tensor> tensor = DecodeWithinLimit(ChunkReader(message));
  const ByteChunks chunks = Cut(message, data[1]);
  const StatusOr<Tensor> cut = DecodeWithinLimit(ChunkReader(chunks));
  if (IsTooLarge(tensor) || IsTooLarge(cut)) return 0;
  MR_CHECK(tensor.status().code() == cut.status().code());
  // A later field may have given it another type.
  if (!tensor.ok() || tensor->dtype() != DataType::kVariant) return 0;

  const StatusOr<ByteChunks> encoded = EncodeTensor(*tensor);
  MR_CHECK(encoded.ok());
  MR_CHECK(*EncodedTensorSize(*tensor, StringForm::kContent) ==
           encoded->size_bytes());
  const std::string bytes = encoded->Flatten();
  MR_CHECK(EncodeTensor(*cut)->Flatten() == bytes);
  const StatusOr<Tensor> back = DecodeWithinLimit(ChunkReader(bytes));
  MR_CHECK(back.ok() && EncodeTensor(*back)->Flatten() == bytes);
  return 0;
}
