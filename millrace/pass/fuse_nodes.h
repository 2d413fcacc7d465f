// FuseNodes: fuses nodes that run faster as one.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/graph.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// In the graph of a task, in which edges between devices are already transfers
// (and feeds and fetches are nodes), fuses
//   a MatMul or Conv2D, the bias that is added to it, and an activation, into
//   one of stock TensorFlow's _FusedMatMul and _FusedConv2D;
//   MatMul, bias and a Split of the sum, into one _SplitProduct;
//   MatMuls and the AddN that adds them up, into one _SumOfProducts;
//   a MatMul and the Slice that takes a part of it, into one _SlicedProduct;
//   a MaxPool and its gradient into a pair, in which the first passes the
//   argmax offsets, the positions of the largest elements, to the second;
//   elementwise ops at one place of the graph (pass/join_units.h) into one
//   _FusedElementwise, which passes over memory once.
// Only pure nodes (pass/pure_nodes.h) of one CPU are fused, the first kind,
// pairs of pools and elementwise ones also of one GPU, and no path may lead out
// of a group and back. The new node has the last node's name and the control
// inputs of all of them, and lists them (Node::fused), so that errors name the
// original node. Does nothing if the registry or the table lacks these ops.
Status FuseNodes(const KernelTable& kernels, Graph* graph);

// The individual fusions.
Status FuseProducts(const KernelTable& kernels, Graph* graph);
Status FuseProductSums(const KernelTable& kernels, Graph* graph);
Status FuseProductSlices(const KernelTable& kernels, Graph* graph);
Status PairPools(const KernelTable& kernels, Graph* graph);
Status FuseElementwise(const KernelTable& kernels, Graph* graph);

// Nodes to be fused into one, in topological order.
struct FusedGroup {
  std::string op;
  std::vector<NodeId> members;
  // Members that other nodes read or depend on; their outputs become outputs of
  // the fused node in this order. Empty: only the last member.
  std::vector<NodeId> results;
  AttrMap attrs;
  // Inputs after those of the members; for an op that does not take a list.
  // They may be outputs that other groups have after those of their members.
  std::vector<OutputRef> more_inputs;
  // Whether the op takes a list of inputs of any types, each once (Targs,
  // Tresults); otherwise its inputs are those of the members in their order.
  bool takes_list = false;
};
// Returns whether the registry and the device of the first member have the op
// of a group with its types.
bool HasFusedKernel(const KernelTable& kernels, const FusedGroup& group,
                    const Graph& graph);
Status ReplaceGroups(const std::vector<FusedGroup>& groups, Graph* graph);

}  // namespace millrace
