#include "millrace/ops/array/shape_rules.op.h"

namespace millrace::ops {

MR_OP(GenerateVocabRemapping){
    .inputs = "new_vocab_file: string, old_vocab_file: string",
    .outputs = "remapping: int64, num_present: int32",
    .attrs =
        "new_vocab_offset: int >= 0; num_new_vocab: int >= 0; old_vocab_size: "
        "int >= -1 = -1",
    .shape = [](ShapeContext& c) -> Status {
      MR_RETURN_IF_ERROR(c.WithRank(0, 0).status());
      MR_RETURN_IF_ERROR(c.WithRank(1, 0).status());
      MR_ASSIGN_OR_RETURN(const int64_t count,
                          c.Attr<int64_t>("num_new_vocab"));
      c.set_output(0, VectorShape(count));
      c.set_output(1, PartialShape({}));
      return OkStatus();
    },
    .doc =
        "For each of `num_new_vocab` lines of a file, from line "
        "`new_vocab_offset` on, the number of the same line in the other file, "
        "or -1; and how many it has. Of the old file the first "
        "`old_vocab_size` lines count, -1: all.",
};

}  // namespace millrace::ops
