// The networks of this folder. Each fills in what the options leave open and
// trains as one of the clients.
#pragma once

#include "examples/networks/training.h"

namespace millrace::networks {

// Convolutions and pooling on Fashion-MNIST.
Status FashionCnn(Cluster& cluster, TrainingOptions options);
// A character model of Debian's licenses by an LSTM.
Status LicenseLstm(Cluster& cluster, TrainingOptions options);
// From which license some words are, by an embedding that is split over the ps.
Status SplitEmbedding(Cluster& cluster, TrainingOptions options);

}  // namespace millrace::networks
