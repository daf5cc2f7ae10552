"""Tables, clocks, seats and their outboxes: the authority. No gRPC, no protobuf."""
