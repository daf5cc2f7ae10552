"""Between dataclasses and protobuf: one file per game, and nothing else."""
