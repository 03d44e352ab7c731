"""Where things are: camera model, calibration board, table pose, empty-table map, sizes and colours of the pieces.

Knows no rules.
"""
