// Writes cases with our results for compare_stock.py, which runs them on stock
// TensorFlow.
#pragma once

#include <string>

#include "tests/cases/suite.h"

namespace millrace::cases {

// Into `folder`, which exists: for each N
//   N.graph   GraphDef of some cases; names begin with "c<id>/"
//   N.values  GraphDef of constants "k<n>": fed values and our results
//   N.json    which nodes to run with which feeds, and what comes out
// Cases of ops that the filter (an op name or a family; empty: all) selects.
Status ExportCases(const Suite& suite, const std::string& folder,
                   const std::string& filter);

}  // namespace millrace::cases
