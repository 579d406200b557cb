"""Measurement: how good finished stories are, on the published metrics and on ours. The service never imports it."""
