"""Sentences that parts of the program say in English, as templates; ``th_vision.said`` says them in other languages.

A place's name in braces says what may stand there (``th_vision/said.py``). ``th_vision.phrases`` hands them all to the
message catalogue.
"""
