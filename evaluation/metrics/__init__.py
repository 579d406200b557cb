"""The metrics: one pure module each, every docstring with formula, unit, range and source."""
