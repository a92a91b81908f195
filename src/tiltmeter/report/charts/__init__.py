"""The figures as files: Vega-Lite drawn to SVG and PNG."""
