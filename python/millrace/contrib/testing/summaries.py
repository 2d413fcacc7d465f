"""Reads summaries back from files, and compares them."""

import glob
import os

import millrace as tf


def assert_summary(expected_tags, expected_simple_values, summary_proto):
  """Raises AssertionError unless a Summary has these tags, and these numbers by tags."""
  actual_tags = {value.tag for value in summary_proto.value}
  numbers = {value.tag: value.simple_value for value in summary_proto.value if value.HasField("simple_value")}
  assert set(expected_tags) == actual_tags, f"Expected tags {sorted(expected_tags)}, got {sorted(actual_tags)}"
  for tag, expected in expected_simple_values.items():
    assert tag in numbers, f"No simple value of {tag}"
    assert numbers[tag] == expected, f"Expected {expected} of {tag}, got {numbers[tag]}"


def to_summary_proto(summary_str):
  """Returns the Summary of its bytes."""
  return tf.Summary.FromString(summary_str)


def latest_event_file(base_dir):
  """Returns the path of the newest file of events in a folder, or None."""
  paths = glob.glob(os.path.join(base_dir, "events.*"))
  return max(paths, key=os.path.getctime) if paths else None


def latest_events(base_dir):
  """Returns the events of the newest file of events in a folder, as a list."""
  path = latest_event_file(base_dir)
  return [] if path is None else list(tf.train.summary_iterator(path))


def latest_summaries(base_dir):
  """Returns those of latest_events that are summaries."""
  return [event for event in latest_events(base_dir) if event.HasField("summary")]


def simple_values_from_events(events, tags):
  """Returns {step: {tag: number}} of events, only of these tags."""
  found = {}
  for event in events:
    for value in event.summary.value:
      if value.tag in tags:
        found.setdefault(event.step, {})[value.tag] = value.simple_value
  return found
