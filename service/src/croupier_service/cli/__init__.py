"""Command-line clients of a server, and of records. They speak to servers over gRPC alone, as anybody might."""
