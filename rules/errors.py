"""What can be wrong with something that the rule book was given."""


class RulesError(ValueError):
    """A rule set, a pieces file or a record that can't be used. The text is one line: what, where, what to do."""
