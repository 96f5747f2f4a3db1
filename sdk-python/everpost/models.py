"""The types of what is sent and answered, by the names that the API reference has."""

from ._generated.models import *  # noqa: F403
