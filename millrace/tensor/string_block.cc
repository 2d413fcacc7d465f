#include "millrace/tensor/string_block.h"

#include <memory>

namespace millrace {

class StringBlock::Block final : public Buffer {
 public:
  Block(Ref<Buffer> raw, int64_t count)
      : Buffer(raw->data(), raw->size_bytes()),
        raw_(std::move(raw)),
        count_(count) {
    std::uninitialized_value_construct_n(elements(), count_);
  }
  ~Block() override { std::destroy_n(elements(), count_); }

  StringElement* elements() const {
    return reinterpret_cast<StringElement*>(data_);
  }

  Ref<Buffer> kept;

 private:
  Ref<Buffer> raw_;
  int64_t count_;
};

StatusOr<StringBlock> StringBlock::Allocate(Allocator* allocator, int64_t count,
                                            size_t size_bytes) {
  size_t head, total;
  if (__builtin_mul_overflow(static_cast<size_t>(count), sizeof(StringElement),
                             &head) ||
      __builtin_add_overflow(head, size_bytes, &total) || total > INT64_MAX) {
    return ResourceExhausted("OOM when allocating ", count, " strings");
  }
  MR_ASSIGN_OR_RETURN(Ref<Buffer> raw, allocator->Allocate(total));
  StringBlock b;
  Ref<Block> block = MakeRef<Block>(std::move(raw), count);
  b.elements_ = block->elements();
  b.block_ = std::move(block);
  b.next_ = b.block_->data() + head;
  return b;
}

void StringBlock::Keep(Ref<Buffer> owner) {
  static_cast<Block*>(block_.get())->kept = std::move(owner);
}

Tensor StringBlock::Finish(TensorShape shape) && {
  char* data = block_->data();
  return Tensor::FromBuffer(DataType::kString, std::move(shape),
                            std::move(block_), data);
}

}  // namespace millrace
