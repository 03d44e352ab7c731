"""The rule book: pieces and layouts in millimetres, rule sets, rulings, the game and its record.

Knows no camera, no image and no clock.
"""
