"""What all tests of the service have in common."""

from hypothesis import HealthCheck, settings

# How fast the machine is, and how busy, is no property of the code.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
