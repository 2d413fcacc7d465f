// FuseNodes: nodes that run better together become one.
#pragma once

#include <string>
#include <vector>

#include "millrace/graph/graph.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace {

// In the graph of a task whose edges between devices are transfers already
// (feeds and fetches are nodes, too), joins
//   a MatMul or Conv2D, the bias that is added to it, and an activation, into
//   one of stock's _FusedMatMul and _FusedConv2D;
//   MatMul, bias and a Split of the sum, into one _SplitProduct;
//   MatMuls and the AddN that adds them up, into one _SumOfProducts;
//   a MatMul and the Slice that takes a part of it, into one _SlicedProduct;
//   a MaxPool and its gradient into a pair, of which the first says to the
//   other where the largest elements are;
//   elementwise ops of one place in the graph (pass/join_units.h) into one
//   _FusedElementwise, which passes over memory once.
// Only pure nodes (pass/pure_nodes.h) of one CPU are joined, and no edge leads
// out of a group and back. The new node has the last one's name, waits for what
// all of them waited for, and lists them (Node::fused), so that errors name the
// node that they are of. Does nothing where the registry or the table lacks
// these ops.
Status FuseNodes(const KernelTable& kernels, Graph* graph);

// The parts of it.
Status FuseProducts(const KernelTable& kernels, Graph* graph);
Status FuseProductSums(const KernelTable& kernels, Graph* graph);
Status FuseProductSlices(const KernelTable& kernels, Graph* graph);
Status PairPools(const KernelTable& kernels, Graph* graph);
Status FuseElementwise(const KernelTable& kernels, Graph* graph);

// Nodes that are to become one, in an order in which inputs come first.
struct FusedGroup {
  std::string op;
  std::vector<NodeId> members;
  // Those that others read or wait for; their outputs become outputs in this
  // order. Empty: the last one alone.
  std::vector<NodeId> results;
  AttrMap attrs;
  // Inputs behind those of the members; of an op that takes no list. May be
  // outputs that other groups have behind those of their members.
  std::vector<OutputRef> more_inputs;
  // The op takes a list of inputs of any types, each once (Targs, Tresults);
  // else the inputs are those of the members in their order.
  bool takes_list = false;
};
// Whether the registry and the CPU have the op of a group with its types.
bool HasFusedKernel(const KernelTable& kernels, const FusedGroup& group,
                    const Graph& graph);
Status ReplaceGroups(const std::vector<FusedGroup>& groups, Graph* graph);

}  // namespace millrace
