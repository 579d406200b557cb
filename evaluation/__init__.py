"""Measurement: what stories, and what guards them, are worth. The service never imports it."""
