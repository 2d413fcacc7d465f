// The content of a variant's message besides the name of its type, as
// TensorFlow's VariantTensorDataProto has it.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "millrace/base/memory/memory_charge.h"
#include "millrace/tensor/tensor.h"
#include "millrace/tensor/wire_format.h"

namespace millrace {

// On the way out. The value, which must outlive this, owns the tensors.
struct VariantContent {
  std::string metadata;
  absl::Span<const Tensor> tensors;  // without type: not set, and left out
};

// On the way in: checked tensors, and metadata that may be anything.
struct DecodedVariant {
  ChunkReader metadata;
  std::vector<Tensor> tensors;
  MemoryCharge charge;  // of the table of tensors
};

}  // namespace millrace
