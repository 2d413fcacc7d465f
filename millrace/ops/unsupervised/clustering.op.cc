#include "millrace/graph/shape_context.h"

namespace millrace::ops {

MR_OP(KmeansPlusPlusInitialization){
    .inputs =
        "points: float, num_to_sample: int64, seed: int64, "
        "num_retries_per_sample: int64",
    .outputs = "samples: float",
    .shape = shapes::Unknown,
    .doc =
        "Rows of `points` that are chosen as first centers (Arthur and "
        "Vassilvitskii, 2007): each with a probability that grows with the "
        "square of its distance from those chosen before. Of the candidates, "
        "one and `num_retries_per_sample` more, the best one is taken; a "
        "negative number stands for 2 + log(num_to_sample).",
};

MR_OP(KMC2ChainInitialization){
    .inputs = "distances: float, seed: int64",
    .outputs = "index: int64",
    .shape = shapes::Scalar,
    .doc =
        "The last state of a Markov chain over the points with these "
        "distances, which approximates the choice of k-means++ (Bachem and "
        "others, 2016).",
};

MR_OP(NearestNeighbors){
    .inputs = "points: float, centers: float, k: int64",
    .outputs = "nearest_center_indices: int64, nearest_center_distances: float",
    .shape = shapes::Unknown,
    .doc =
        "For each of `points` the `k` nearest of `centers`, the nearest first, "
        "and the squares of their distances.",
};

}  // namespace millrace::ops
