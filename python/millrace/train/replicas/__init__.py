"""tf.distribute as it is where no strategy is chosen: one replica, this one. Libraries ask for it whatever they do."""
