// ResourceHandle and Variant: the elements of resource and variant tensors.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "millrace/base/memory/ref.h"
#include "millrace/base/status.h"
#include "millrace/tensor/dtype.h"
#include "millrace/tensor/shape.h"

namespace millrace {

struct VariantContent;

// Names a resource on a device. Immutable once it is in a tensor.
struct ResourceHandle : RefCounted {
  struct DtypeAndShape {
    DataType dtype = DataType::kInvalid;
    PartialShape shape;
  };
  std::string device;     // full name of the device that holds it
  std::string container;  // never empty once made by a kernel
  std::string name;
  uint64_t hash_code = 0;  // of the C++ type
  std::string type_name;   // for messages
  std::vector<DtypeAndShape> dtypes_and_shapes;
  // Set for a private resource, which has no name for lookups: the handle
  // itself holds it, and it is destroyed with the handle.
  Ref<RefCounted> owned;
};

// The base class of the values of variant elements; kernels know the derived
// classes.
class VariantValue : public RefCounted {
 public:
  virtual absl::string_view type_name() const = 0;
  // Sets what a message holds of the value (variant/variant_content.h). Returns
  // false for classes whose values do not leave their process. A class that
  // returns true has its decoder in wire_variant.cc.
  virtual bool ToWire(VariantContent*) const { return false; }
};

using ResourceElement = Ref<ResourceHandle>;
using VariantElement = Ref<VariantValue>;
static_assert(sizeof(ResourceElement) == 8 && sizeof(VariantElement) == 8);

}  // namespace millrace
