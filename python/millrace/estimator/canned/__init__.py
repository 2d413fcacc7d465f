"""Premade estimators: heads, which say what is predicted and how it is judged, and models that end in one."""
