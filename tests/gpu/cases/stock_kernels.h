// The kernels for GPUs that TensorFlow's build for GPUs registers, and which of
// them have none of ours.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "millrace/graph/op_registry.h"
#include "millrace/kernel/kernel_decl.h"

namespace millrace::cases {

// A line of tests/gpu/kernels.txt.
struct StockKernel {
  std::string op;
  std::map<std::string, std::vector<DataType>> types;  // by attribute
  std::set<std::string> host;  // names of arguments in host memory
};

// Returns INVALID_ARGUMENT that shows a malformed line.
StatusOr<std::vector<StockKernel>> ReadStockKernels(const std::string& path);

// Returns the lines of a file of missing kernels, without comments.
StatusOr<std::set<std::string>> ReadListedKernels(const std::string& path);

// Returns what of `stock` no kernel of ours fits, one line an op or a part of
// one: "Abs", "Abs T=half,double", "Concat T=half Tidx=int64", and what the
// CPU's kernels do for a GPU: "Abs by the host". Ops that `ops` does not have
// are left out.
std::vector<std::string> MissingKernels(const std::vector<StockKernel>& stock,
                                        const OpRegistry& ops,
                                        const KernelTable& kernels);

}  // namespace millrace::cases
