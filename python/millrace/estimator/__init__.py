"""Estimators: a model as a function, which is trained, evaluated, asked and exported, on one machine or on a cluster."""
