// DeviceBlock: the nested device blocks in which a node is built.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "millrace/graph/device_name.h"
#include "millrace/graph/graph.h"

namespace millrace {

// Gives the device of a node, whose `requested_device` is what the blocks
// further in asked for. Called while the graph is locked: it may look at the
// node's name, op, attributes and types, and use no other part of the graph.
using DeviceFunction = std::function<std::string(const Node& node)>;

// One block of a list that leads outwards. Immutable.
struct DeviceBlock {
  DeviceName spec;          // of a block with a name
  DeviceFunction function;  // of a block with a function, else empty
  bool clears = false;      // hides the blocks outside it
  std::shared_ptr<const DeviceBlock> outer;
};

// The device for `node` (which already asks for node.requested_device), from
// the innermost block outwards: a name sets the parts that are not yet set, a
// function replaces all. INVALID_ARGUMENT for a malformed name of a function.
StatusOr<std::string> DeviceInBlocks(Node& node, const DeviceBlock* innermost);

}  // namespace millrace
