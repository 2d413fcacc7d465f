"""Monitors: what was called around the steps of a training before there were hooks."""
