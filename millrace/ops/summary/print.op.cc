#include "millrace/graph/op_decl.h"
#include "millrace/graph/shape_context.h"

namespace millrace::ops {
namespace {

Status PrintTextShape(ShapeContext& c) {
  const PartialShape& text = c.input(0);
  if (text.known_rank() && text.rank() != 0) {
    return InvalidArgument("input must be a scalar, but has rank: ",
                           text.rank());
  }
  return OkStatus();
}

}  // namespace

MR_OP(Print){
    .inputs = "input: T, data: U",
    .outputs = "output: T",
    .attrs =
        "T: type; U: list(type) >= 0; message: string = ''; first_n: int = -1; "
        "summarize: int = 3",
    .flags = kStateful,
    .shape = shapes::Unchanged,
    .doc =
        "Gives `input` on, and logs the message and the first elements of "
        "`data` on its server, the first first_n times (-1: always).",
};

MR_OP(PrintV2){
    .inputs = "input: string",
    .attrs = "output_stream: string = 'stderr'; end: string = '\\n'",
    .flags = kStateful,
    .shape = PrintTextShape,
    .doc =
        "Writes a text and `end` on its server: to 'stderr', to 'stdout', to "
        "its log as 'log(info)', 'log(warning)' or 'log(error)', or to the end "
        "of a file, 'file://PATH'.",
};

}  // namespace millrace::ops
