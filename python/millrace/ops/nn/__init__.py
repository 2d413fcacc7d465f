"""Ops of neural networks: convolutions, pooling, activations, losses, normalization, embeddings, sampling, CTC."""
