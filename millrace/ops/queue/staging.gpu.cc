#include "millrace/kernel/kernel_decl.h"

namespace millrace::ops {

MR_KERNELS(MapClear, Gpu){kOnHostIfAsked};
MR_KERNELS(MapIncompleteSize, Gpu){kOnHostIfAsked};
MR_KERNELS(MapPeek, Gpu){kOnHostIfAsked};
MR_KERNELS(MapSize, Gpu){kOnHostIfAsked};
MR_KERNELS(MapStage, Gpu){kOnHostIfAsked};
MR_KERNELS(MapUnstage, Gpu){kOnHostIfAsked};
MR_KERNELS(MapUnstageNoKey, Gpu){kOnHostIfAsked};
MR_KERNELS(OrderedMapClear, Gpu){kOnHostIfAsked};
MR_KERNELS(OrderedMapIncompleteSize, Gpu){kOnHostIfAsked};
MR_KERNELS(OrderedMapPeek, Gpu){kOnHostIfAsked};
MR_KERNELS(OrderedMapSize, Gpu){kOnHostIfAsked};
MR_KERNELS(OrderedMapStage, Gpu){kOnHostIfAsked};
MR_KERNELS(OrderedMapUnstage, Gpu){kOnHostIfAsked};
MR_KERNELS(OrderedMapUnstageNoKey, Gpu){kOnHostIfAsked};
MR_KERNELS(Stage, Gpu){kOnHostIfAsked};
MR_KERNELS(StageClear, Gpu){kOnHostIfAsked};
MR_KERNELS(StagePeek, Gpu){kOnHostIfAsked};
MR_KERNELS(StageSize, Gpu){kOnHostIfAsked};
MR_KERNELS(Unstage, Gpu){kOnHostIfAsked};

}  // namespace millrace::ops
