"""Training: optimizers, savers, queue runners, hooks and monitored sessions."""
