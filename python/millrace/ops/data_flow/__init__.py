"""Queues, accumulators, barriers, staging areas, readers, tables."""
