// Lists lie in host memory, and keep tensors where they lie.
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(EmptyTensorList, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(TensorListReserve, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(TensorListLength, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(TensorListElementShape, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(TensorListResize, Gpu){{.make = OnHost, .host = "*"}};
MR_KERNELS(TensorListPushBack, Gpu){{.make = OnHost, .host = "int32"}};
MR_KERNELS(TensorListPopBack,
           Gpu){{.make = OnHost, .host = "element_shape, int32"}};
MR_KERNELS(TensorListGetItem,
           Gpu){{.make = OnHost, .host = "index, element_shape, int32"}};
MR_KERNELS(TensorListSetItem, Gpu){{.make = OnHost, .host = "index, int32"}};

}  // namespace millrace::ops
