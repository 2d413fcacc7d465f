#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(Skipgram){
    .outputs =
        "vocab_word: string, vocab_freq: int32, words_per_epoch: int64, "
        "current_epoch: int32, total_words_processed: int64, examples: int32, "
        "labels: int32",
    .attrs =
        "filename: string; batch_size: int; window_size: int = 5; min_count: "
        "int = 5; subsample: float = 0.001",
    .flags = kStateful,
    .shape = shapes::Unknown,
    .doc =
        "Words of a text file, `examples`, with words at most `window_size` "
        "before or behind them, `labels`, as places in the vocabulary: the "
        "words that occur `min_count` times, the most frequent first, behind "
        "UNK, which stands for all others. Of frequent words some are left "
        "out (`subsample`; Mikolov and others, 2013).",
    .deprecated_version = 19,
    .deprecated_hint =
        "Moving word2vec into tensorflow_models/tutorials and deprecating its "
        "ops here as a result",
};

}  // namespace millrace::ops
