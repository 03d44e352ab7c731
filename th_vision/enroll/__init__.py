"""Measuring a set's pieces: what lies on the table, how large it is, what colours it has under this light."""
