"""Metrics: numbers that are gathered over the steps of an evaluation, in local variables.

A metric is a pair: a tensor of its value so far, and an op that takes one more batch into it.
"""
