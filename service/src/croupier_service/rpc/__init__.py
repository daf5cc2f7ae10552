"""Servicers, interceptors and the assembly of the server."""
