// Tensors from numpy arrays and to them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "millrace/tensor/tensor.h"

namespace millrace::python {

namespace nb = nanobind;

// Whether it is a numpy array (or of a class derived from it).
bool IsArray(nb::handle value);

// Returns a tensor of an array's elements. Texts and bytes may be in arrays of
// numpy's texts, bytes or objects. With `share` the tensor may use the array's
// memory, which it keeps alive and never writes; without, it is a copy. Raises
// TypeError for arrays of other objects and for types that tensors do not have.
// `type`: what the elements are; kInvalid: by the array's type.
Tensor TensorFromArray(nb::handle array, bool share = false,
                       DataType type = DataType::kInvalid);

// Returns an array that owns its elements, writable; a numpy scalar or bytes
// for a scalar; a `Value` for resources and variants. A large tensor whose
// buffer nobody else has is not copied.
nb::object ArrayFromTensor(Tensor tensor);
// The same, but an array also for scalars.
nb::object ArrayOf(Tensor tensor);

// Returns the tensor inside of a Value, the Python object that holds a tensor
// as it is; null if it is none.
const Tensor* ValueOf(nb::handle value);
nb::object PyValue(Tensor tensor);

// Decodes a TensorProto.
StatusOr<Tensor> TensorFromProto(absl::string_view bytes);

// Drops the references to arrays that tensors no longer use, which threads
// without the GIL have put aside.
void DropUnusedArrays();

void BindValues(nb::module_& m);

}  // namespace millrace::python
