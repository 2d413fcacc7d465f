#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(UnicodeTranscode){
    .inputs = "input: string",
    .outputs = "output: string",
    .attrs =
        "input_encoding: string; output_encoding: {'UTF-8', 'UTF-16-BE', "
        "'UTF-32-BE'}; errors: {'strict', 'replace', 'ignore'} = 'replace'; "
        "replacement_char: int = 65533; replace_control_characters: bool = "
        "false",
    .shape = shapes::Unchanged,
    .doc = "Texts in another character set.",
};

}  // namespace millrace::ops
