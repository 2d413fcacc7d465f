// Meta graphs: a graph with what TensorFlow's programs need to use it: the
// saver's ops and the collections of variables. The content of PREFIX.meta.
#pragma once

#include <string>

#include "millrace/client/client_graph.h"

namespace millrace::train {

// Names of the ops that save and restore (message SaverDef).
struct SaverNames {
  std::string filename_tensor;
  std::string save_tensor;
  std::string restore_op;
  int max_to_keep = 5;
  double keep_every_n_hours = 10000;
};

// Returns a serialized MetaGraphDef with all nodes of the graph. Its
// collections are those of variables, of queue runners, and of operations and
// outputs.
std::string SerializeMetaGraph(const ClientGraph& graph,
                               const SaverNames& saver);

}  // namespace millrace::train
