#include "millrace/graph/graph_proto.h"
#include "proto/graph/graph.pb.h"
namespace millrace {
StatusOr<GraphDef> ParseGraphDef(absl::string_view b){ tensorflow::GraphDef g; if(!g.ParseFromArray(b.data(),b.size())) return InvalidArgument("x"); GraphDef d; for(auto&n:g.node()){NodeDef x; x.name=n.name(); x.op=n.op(); d.nodes.push_back(x);} d.versions.producer=g.versions().producer(); return d;}
std::string SerializeGraphDef(const GraphDef& d){ tensorflow::GraphDef g; for(auto&n:d.nodes){auto*x=g.add_node();x->set_name(n.name);x->set_op(n.op);} if(d.versions.producer) g.mutable_versions()->set_producer(d.versions.producer); return g.SerializeAsString();}
}
