"""The parts of a window: what inputs take of each, against the usual shares."""
