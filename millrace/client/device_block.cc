#include "millrace/client/device_block.h"

namespace millrace {

StatusOr<std::string> DeviceInBlocks(Node& node, const DeviceBlock* innermost) {
  for (const DeviceBlock* block = innermost; block;
       block = block->outer.get()) {
    if (block->clears) break;
    if (block->function) {
      node.requested_device = block->function(node);
      MR_RETURN_IF_ERROR(DeviceName::Parse(node.requested_device).status());
    } else {
      MR_ASSIGN_OR_RETURN(const DeviceName inner,
                          DeviceName::Parse(node.requested_device));
      node.requested_device = block->spec.OverriddenBy(inner).ToString();
    }
  }
  return node.requested_device;
}

}  // namespace millrace
