#include "millrace/ops/data/element_shapes.op.h"

namespace millrace::ops {

MR_OP(OneShotIterator){
    .outputs = "handle: resource",
    .attrs = "dataset_factory: func; " MR_ELEMENT_ATTRS
             "; container: string = ''; shared_name: string = ''",
    .flags = kStateful,
    .shape = shapes::Scalar,
    .doc = "An iterator that begins by itself, with what a function returns.",
};

}  // namespace millrace::ops
