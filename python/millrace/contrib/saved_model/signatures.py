"""Finds the signatures of a meta graph."""


def get_signature_def_by_key(meta_graph_def, signature_def_key):
  """Returns the SignatureDef under a key of a MetaGraphDef. Raises ValueError if there is none."""
  if signature_def_key not in meta_graph_def.signature_def:
    raise ValueError(f"No SignatureDef with key '{signature_def_key}' found in MetaGraphDef.")
  return meta_graph_def.signature_def[signature_def_key]
