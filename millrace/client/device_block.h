// DeviceBlock: the nested device blocks in which a node is built.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "millrace/graph/device_name.h"
#include "millrace/graph/graph.h"

namespace millrace {

// Returns the device of a node whose `requested_device` is what the inner
// blocks asked for. Called while the graph is locked: it may read the node's
// name, op, attributes and types, and must not use any other part of the graph.
using DeviceFunction = std::function<std::string(const Node& node)>;

// One block of a list that leads outwards. Immutable.
struct DeviceBlock {
  DeviceName spec;          // of a block with a name
  DeviceFunction function;  // of a block with a function, otherwise empty
  bool clears = false;      // hides the blocks outside it
  std::shared_ptr<const DeviceBlock> outer;
};

// Returns the device for `node` (which already requests node.requested_device),
// from the innermost block outwards: a name sets the parts that are not yet
// set, a function replaces all of it. Returns INVALID_ARGUMENT if a function
// returns a malformed name.
StatusOr<std::string> DeviceInBlocks(Node& node, const DeviceBlock* innermost);

}  // namespace millrace
