// Rows are copied within the device's memory, one by one.
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(TensorListStack,
           Gpu){{.make = OnHost, .host = "element_shape, int32"}};
MR_KERNELS(TensorListGather,
           Gpu){{.make = OnHost, .host = "indices, element_shape, int32"}};
MR_KERNELS(TensorListConcat, Gpu){{.make = OnHost, .host = "lengths, int32"}};
MR_KERNELS(TensorListConcatV2, Gpu){
    {.make = OnHost, .host = "element_shape, leading_dims, lengths, int32"}};
MR_KERNELS(TensorListFromTensor,
           Gpu){{.make = OnHost, .host = "element_shape, int32"}};
MR_KERNELS(TensorListScatter,
           Gpu){{.make = OnHost, .host = "indices, element_shape, int32"}};
MR_KERNELS(TensorListScatterV2, Gpu){
    {.make = OnHost, .host = "indices, element_shape, num_elements, int32"}};
MR_KERNELS(TensorListScatterIntoExistingList,
           Gpu){{.make = OnHost, .host = "indices, int32"}};
MR_KERNELS(TensorListSplit,
           Gpu){{.make = OnHost, .host = "element_shape, lengths, int32"}};

}  // namespace millrace::ops
