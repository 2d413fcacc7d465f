#include "millrace/graph/shape_context.h"

namespace millrace::ops {

#define MR_TRANSFER_ATTRS                                               \
  "tensor_name: string; send_device: string; send_device_incarnation: " \
  "int; recv_device: string; client_terminated: bool = false"

MR_OP(_Send){
    .inputs = "tensor: T",
    .attrs = "T: type; " MR_TRANSFER_ATTRS,
    .flags = kStateful,
    .role = OpRole::kSend,
    .shape = shapes::NoOutputs,
    .doc = "Puts a tensor into the step's rendezvous.",
};

MR_OP(_HostSend){
    .inputs = "tensor: T",
    .attrs = "T: type; " MR_TRANSFER_ATTRS,
    .flags = kStateful,
    .role = OpRole::kSend,
    .shape = shapes::NoOutputs,
    .doc = "_Send from host memory.",
};

MR_OP(_Recv){
    .outputs = "tensor: tensor_type",
    .attrs = "tensor_type: type; " MR_TRANSFER_ATTRS,
    .flags = kStateful,
    .role = OpRole::kRecv,
    .shape = shapes::Unknown,
    .doc = "Takes a tensor from the step's rendezvous.",
};

MR_OP(_HostRecv){
    .outputs = "tensor: tensor_type",
    .attrs = "tensor_type: type; " MR_TRANSFER_ATTRS,
    .flags = kStateful,
    .role = OpRole::kRecv,
    .shape = shapes::Unknown,
    .doc = "_Recv into host memory.",
};

}  // namespace millrace::ops
