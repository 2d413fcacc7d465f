"""Layers: functions with variables of their own, by which models are put together."""
