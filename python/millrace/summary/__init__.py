"""Summaries: ops that make them and files that TensorBoard reads."""
