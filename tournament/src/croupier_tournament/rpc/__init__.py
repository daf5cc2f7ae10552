"""TournamentService: tournaments over gRPC, with the same abilities as the commands."""
