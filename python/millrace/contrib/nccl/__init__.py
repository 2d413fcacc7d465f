"""tf.contrib.nccl: tensors of several devices, joined."""
