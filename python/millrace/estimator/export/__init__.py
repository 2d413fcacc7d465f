"""Exporting: outputs and inputs of signatures, folders of exports, SavedModels."""
