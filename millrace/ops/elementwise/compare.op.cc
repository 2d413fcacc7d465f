#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

constexpr char kAny[] = "T: type; incompatible_shape_error: bool = true";
constexpr char kOrdered[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, "
    "half, uint32, uint64}";

// Shapes that are not fully known may turn out not to broadcast; the result is
// then a scalar if the op allows that.
Status EqualityShape(ShapeContext& c) {
  MR_ASSIGN_OR_RETURN(bool is_error, c.Attr<bool>("incompatible_shape_error"));
  if (is_error) return shapes::Broadcast(c);
  if (!c.input(0).IsFullyDefined() || !c.input(1).IsFullyDefined()) {
    return c.Return(PartialShape());
  }
  return shapes::Broadcast(c).ok() ? OkStatus() : c.Return(TensorShape());
}

}  // namespace

MR_OP(Equal){
    .inputs = "x: T, y: T",
    .outputs = "z: bool",
    .attrs = kAny,
    .flags = kCommutative,
    .shape = EqualityShape,
    .doc = "x == y with broadcasting.",
};

MR_OP(NotEqual){
    .inputs = "x: T, y: T",
    .outputs = "z: bool",
    .attrs = kAny,
    .flags = kCommutative,
    .shape = EqualityShape,
    .doc = "x != y with broadcasting.",
};

MR_OP(Less){
    .inputs = "x: T, y: T",
    .outputs = "z: bool",
    .attrs = kOrdered,
    .shape = shapes::Broadcast,
    .doc = "x < y with broadcasting.",
};

MR_OP(LessEqual){
    .inputs = "x: T, y: T",
    .outputs = "z: bool",
    .attrs = kOrdered,
    .shape = shapes::Broadcast,
    .doc = "x <= y with broadcasting.",
};

MR_OP(Greater){
    .inputs = "x: T, y: T",
    .outputs = "z: bool",
    .attrs = kOrdered,
    .shape = shapes::Broadcast,
    .doc = "x > y with broadcasting.",
};

MR_OP(GreaterEqual){
    .inputs = "x: T, y: T",
    .outputs = "z: bool",
    .attrs = kOrdered,
    .shape = shapes::Broadcast,
    .doc = "x >= y with broadcasting.",
};

MR_OP(ApproximateEqual){
    .inputs = "x: T, y: T",
    .outputs = "z: bool",
    .attrs =
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, "
        "qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, "
        "half, uint32, uint64}; tolerance: float = 9.999999747378752e-06",
    .flags = kCommutative,
    .shape = shapes::MergeAll,
    .doc = "|x - y| <= tolerance, for tensors of one shape.",
};

}  // namespace millrace::ops
