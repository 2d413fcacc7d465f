"""The names of metrics and of predictions of premade estimators, as constants."""


class MetricKeys:
  LOSS = "loss"
  LOSS_MEAN = "average_loss"
  LOSS_REGULARIZATION = "regularization_loss"
  ACCURACY = "accuracy"
  PRECISION = "precision"
  RECALL = "recall"
  ACCURACY_BASELINE = "accuracy_baseline"
  AUC = "auc"
  AUC_PR = "auc_precision_recall"
  LABEL_MEAN = "label/mean"
  PREDICTION_MEAN = "prediction/mean"
  ACCURACY_AT_THRESHOLD = "accuracy/positive_threshold_%g"
  PRECISION_AT_THRESHOLD = "precision/positive_threshold_%g"
  RECALL_AT_THRESHOLD = "recall/positive_threshold_%g"


class PredictionKeys:
  CLASSES = "classes"
  CLASS_IDS = "class_ids"
  ALL_CLASSES = "all_classes"
  ALL_CLASS_IDS = "all_class_ids"
  LOGISTIC = "logistic"
  LOGITS = "logits"
  PREDICTIONS = "predictions"
  PROBABILITIES = "probabilities"
  TOP_K = "top_k"
