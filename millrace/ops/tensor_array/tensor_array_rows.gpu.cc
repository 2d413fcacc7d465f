// Rows are copied within the device's memory, one by one.
#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(TensorArrayGather,
           Gpu){{.make = OnHost, .host = "handle, indices, int32"}};
MR_KERNELS(TensorArrayGatherV2,
           Gpu){{.make = OnHost, .host = "handle, indices, int32"}};
MR_KERNELS(TensorArrayGatherV3,
           Gpu){{.make = OnHost, .host = "handle, indices, int32"}};
MR_KERNELS(TensorArrayScatter,
           Gpu){{.make = OnHost, .host = "handle, indices, int32"}};
MR_KERNELS(TensorArrayScatterV2,
           Gpu){{.make = OnHost, .host = "handle, indices, int32"}};
MR_KERNELS(TensorArrayScatterV3,
           Gpu){{.make = OnHost, .host = "handle, indices, int32"}};
MR_KERNELS(TensorArrayConcat,
           Gpu){{.make = OnHost, .host = "handle, lengths, int32"}};
MR_KERNELS(TensorArrayConcatV2,
           Gpu){{.make = OnHost, .host = "handle, lengths, int32"}};
MR_KERNELS(TensorArrayConcatV3,
           Gpu){{.make = OnHost, .host = "handle, lengths, int32"}};
MR_KERNELS(TensorArraySplit,
           Gpu){{.make = OnHost, .host = "handle, lengths, int32"}};
MR_KERNELS(TensorArraySplitV2,
           Gpu){{.make = OnHost, .host = "handle, lengths, int32"}};
MR_KERNELS(TensorArraySplitV3,
           Gpu){{.make = OnHost, .host = "handle, lengths, int32"}};
MR_KERNELS(TensorArrayPack, Gpu){{.make = OnHost, .host = "handle, int32"}};
MR_KERNELS(TensorArrayUnpack, Gpu){{.make = OnHost, .host = "handle, int32"}};

}  // namespace millrace::ops
