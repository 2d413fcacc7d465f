#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

constexpr char kParts[] =
    "T: {complex64, complex128} = 'complex64'; Tout: {float, double} = 'float'";

}  // namespace

MR_OP(Conj){
    .inputs = "input: T",
    .outputs = "output: T",
    .attrs = "T: {complex64, complex128, variant} = 'complex64'",
    .shape = shapes::Unchanged,
    .doc = "The complex conjugate. Variants keep their handles.",
};

MR_OP(Real){
    .inputs = "input: T",
    .outputs = "output: Tout",
    .attrs = kParts,
    .shape = shapes::Unchanged,
    .doc = "The real part.",
};

MR_OP(Imag){
    .inputs = "input: T",
    .outputs = "output: Tout",
    .attrs = kParts,
    .shape = shapes::Unchanged,
    .doc = "The imaginary part.",
};

MR_OP(Angle){
    .inputs = "input: T",
    .outputs = "output: Tout",
    .attrs = kParts,
    .shape = shapes::Unchanged,
    .doc = "The argument, in (-pi, pi].",
};

MR_OP(Complex){
    .inputs = "real: T, imag: T",
    .outputs = "out: Tout",
    .attrs =
        "T: {float, double} = 'float'; Tout: {complex64, complex128} = "
        "'complex64'",
    .shape = shapes::Broadcast,
    .doc = "real + i imag.",
};

MR_OP(ComplexAbs){
    .inputs = "x: T",
    .outputs = "y: Tout",
    .attrs = kParts,
    .shape = shapes::Unchanged,
    .doc = "The magnitude.",
};

}  // namespace millrace::ops
